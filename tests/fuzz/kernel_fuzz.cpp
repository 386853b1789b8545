// Any text, read as a source of the user's kernels and fitted to a call: a refusal is an Input error, or Unsupported where the
// file is not made for the call.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ir/error.h"
#include "opbench/own/kernel_reader.h"
#include "runtime/contenders/kernels/fitted.h"
#include "tests/fuzz/target.h"

namespace {

/// aten._softmax.default on a tensor of f16.
ir::Graph softmax() {
  ir::Graph graph;
  const ir::TensorType type = ir::TensorType::contiguous(ir::DType::F16, {7, 100});
  graph.values = {{"self", type}, {"out0", type}};
  graph.inputs = {0};
  graph.outputs = {1};
  graph.nodes.push_back(
      {"aten._softmax.default", {{"self", ir::ValueRef{0}}, {"dim", int64_t{-1}}, {"half_to_float", false}}, {1}, {}});
  return graph;
}

/// Whatever a file says, its launches are within a GPU's limits, and its arguments are numbers or addresses of what is there.
void checkLaunches(const runtime::FittedKernels& kernels) {
  for (const runtime::KernelLaunch& launch : kernels.launches) {
    if (launch.block[0] > 1024 || launch.grid[1] > 65535 || launch.dynamicSharedBytes < 0) std::abort();
    for (const runtime::KernelArgument& argument : launch.arguments)
      if (argument.size > 8 || argument.value.value_or(0) > 1 ||
          argument.scratch.value_or(-1) >= static_cast<int>(kernels.scratchBytes.size()))
        std::abort();
  }
}

}  // namespace

FUZZ_TARGET(kernel_fuzz)(const uint8_t* data, size_t size) {
  static const ir::Graph graph = softmax();
  try {
    const runtime::KernelFile file = opbench::readKernelSource({reinterpret_cast<const char*>(data), size}, "fuzz.cu");
    runtime::programOf(file, graph, "sm_90");
    checkLaunches(runtime::fitted(file, graph));
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Input && error.kind() != ir::ErrorKind::Unsupported) std::abort();
  }
  return 0;
}
