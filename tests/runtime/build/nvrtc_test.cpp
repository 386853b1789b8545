// Every operation in every dtype, and random kernels, go through NVRTC to sm_90 machine code: that needs the library, but no GPU.
#include "runtime/build/nvrtc.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ir/text/text.h"
#include "lowering/analysis/elementwise.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/tensor_list.h"
#include "lowering/schedule/vectorize.h"
#include "lowering/tensor/lowering.h"
#include "tests/cache_settings.h"
#include "tests/cuda_program.h"
#include "tests/random_expr.h"
#include "tests/refusal.h"
#include "tests/runtime/build/nvrtc_library.h"
#include "tests/scalar_kernels.h"
#include "tests/targets.h"

namespace {

const runtime::Cache noCache;

/// Whether a cubin came out; doctest shows NVRTC's log where not.
bool compiles(const ir::Kernel& kernel) {
  CAPTURE(kernel.name);
  try {
    return tests::isAccepted(tests::cudaProgram(kernel, tests::hopper()));
  } catch (const ir::Error& error) {
    FAIL_CHECK(error.what());
    return false;
  }
}

ir::KernelSource fill(const std::string& extra = "") {
  ir::KernelSource program;
  program.name = "fill";
  program.backend = ir::Backend::Cuda;
  program.arch = "sm_90";
  program.options = {"--std=c++17"};
  program.source = extra + "extern \"C\" __global__ void fill(int* p) { p[threadIdx.x] = 1; }\n";
  return program;
}

TEST_CASE("every operation compiles in every dtype it takes") {
  if (tests::nvrtc() == nullptr) return;
  for (const ir::DType dtype : tests::scalarDTypes()) CHECK(compiles(tests::scalarKernel(dtype, 128).kernel));
  for (const ir::DType dtype : {ir::DType::F16, ir::DType::BF16, ir::DType::F32})
    CHECK(compiles(tests::scalarKernel(dtype, 128, true).kernel));
}

TEST_CASE("kernels for lists of tensors compile, with 32-bit indices and with 64-bit ones") {
  if (tests::nvrtc() == nullptr) return;
  const ir::Graph graph = ir::parseGraph(
      "graph\n  in x f32[5]\n  in s f32[]\n  y f32[5] = aten.mul.Tensor(self=x, other=s)\n"
      "  z f16[5] = aten._to_copy.default(self=y, dtype=f16, layout=None, device=None, "
      "pin_memory=None, non_blocking=False, memory_format=None)\n  return y, z\n");
  const std::vector<int64_t> elements{1, 70000, 30};
  const ir::Loops loops = lowering::lower(graph).front();
  std::vector<ir::Param> params;
  for (size_t i = 0; i < elements.size(); ++i)
    for (const ir::Param& param : lowering::parameters(loops, tests::hopper())) params.push_back(param);
  ir::Loops flat = *lowering::flattened(loops, lowering::listedElements(elements));
  ir::Kernel kernel = lowering::applyToList(std::move(flat), elements, std::move(params), tests::hopper()).kernel;
  for (const bool isNarrow : {true, false}) {
    kernel.index32 = isNarrow;
    CHECK(compiles(kernel));
  }
}

TEST_CASE("every cast compiles") {
  if (tests::nvrtc() == nullptr) return;
  for (const ir::DType dtype : tests::scalarDTypes()) CHECK(compiles(tests::castKernel(dtype, 128).kernel));
}

TEST_CASE("random kernels compile, with 32-bit indices and with 64-bit ones") {
  if (tests::nvrtc() == nullptr) return;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    ir::Kernel kernel = lowering::apply(tests::randomLoops(seed), tests::hopper());
    kernel.index32 = seed % 2 == 0;
    CHECK(compiles(kernel));
  }
}

TEST_CASE("PTX for dumps") {
  if (tests::nvrtc() == nullptr) return;
  const std::string ptx = tests::nvrtc()->ptx(fill());
  CHECK(ptx.find(".target sm_90") != std::string::npos);
  CHECK(ptx.find(".entry fill(") != std::string::npos);
  CHECK(tests::nvrtc()->version().starts_with("13."));
}

TEST_CASE("the second time the cubin comes from the cache; a program that differs in anything is another entry") {
  if (tests::nvrtc() == nullptr) return;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("opbench_nvrtc_test" + std::to_string(getpid()));
  const runtime::Cache cache(tests::cacheIn(folder));
  const runtime::DeviceCode first = tests::nvrtc()->compile(fill(), cache);
  CHECK_FALSE(first.cached);
  CHECK(first.compileMs > 0);
  const runtime::DeviceCode second = tests::nvrtc()->compile(fill(), cache);
  CHECK(second.cached);
  CHECK(second.cubin == first.cubin);
  CHECK_FALSE(tests::nvrtc()->compile(fill("// another\n"), cache).cached);
  ir::KernelSource otherOptions = fill();
  otherOptions.options.emplace_back("--fmad=false");
  CHECK_FALSE(tests::nvrtc()->compile(otherOptions, cache).cached);
  ir::KernelSource otherArch = fill();
  otherArch.arch = "sm_80";
  CHECK_FALSE(tests::nvrtc()->compile(otherArch, cache).cached);
  std::filesystem::remove_all(folder);
}

TEST_CASE("what NVRTC says against a program is in the error") {
  if (tests::nvrtc() == nullptr) return;
  const std::string message =
      tests::refusal(ir::ErrorKind::Toolchain, [] { tests::nvrtc()->compile(fill("int wrong = nothing;\n"), noCache); });
  CHECK(message.starts_with("NVRTC refuses the kernel fill (NVRTC_ERROR_COMPILATION):\n"));
  CHECK(message.find("fill.cu(1): error: identifier \"nothing\" is undefined") != std::string::npos);
}

}  // namespace
