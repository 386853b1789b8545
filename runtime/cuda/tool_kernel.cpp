#include "runtime/cuda/tool_kernel.h"

namespace runtime {

ExecutablePtr toolKernel(const std::string& name, std::string_view source, Device& device) {
  codegen::Program program;
  program.name = name;
  program.backend = ir::Backend::Cuda;
  program.source = source;
  program.options = {"--std=c++17", "-default-device"};
  program.arch = device.target().arch;
  program.params = {{{"pointer", ir::TensorType::contiguous(ir::DType::I64, {1}), 0, true, true}, 8}};
  return device.compile(program, Cache());
}

}  // namespace runtime
