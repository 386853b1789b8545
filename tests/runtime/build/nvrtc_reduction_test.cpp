// Kernels with local arrays and combinations go through NVRTC to sm_90 machine code: that needs the library, but no GPU.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <tuple>
#include <vector>

#include "ir/text/text.h"
#include "lowering/heuristics/launches.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"
#include "runtime/build/nvrtc.h"
#include "tests/cuda_program.h"
#include "tests/kernels_of.h"
#include "tests/reduction_kernels.h"
#include "tests/runtime/build/nvrtc_library.h"
#include "tests/targets.h"

namespace {

/// The bytes of local memory that a thread of a cubin's only kernel has: the attribute EIATTR_FRAME_SIZE of its .nv.info section,
/// which is a tag, a length of 8, the kernel's symbol and the size.
int64_t localBytes(const std::string& cubin) {
  constexpr std::string_view tag{"\x04\x11\x08\x00", 4};
  const size_t at = cubin.find(tag);
  REQUIRE(at != std::string::npos);
  uint32_t size = 0;
  std::memcpy(&size, &cubin.at(at + 8), sizeof size);
  return size;
}

int64_t localBytes(const ir::Kernel& kernel) {
  return localBytes(tests::nvrtc()->compile(tests::cudaProgram(kernel, tests::hopper()), runtime::Cache()).cubin);
}

TEST_CASE("register arrays are registers: reductions use no local memory") {
  if (tests::nvrtc() == nullptr) return;
  for (const ir::Kernel& kernel : {tests::rowSoftmax(), tests::rowMoments(), tests::columnSum(), tests::fullSum(),
                                   tests::waitingSum(), tests::largeTile()}) {
    CAPTURE(kernel.name);
    CHECK(localBytes(kernel) == 0);
  }
}

TEST_CASE("tiles of rows in shared memory compile, and use no local memory") {
  if (tests::nvrtc() == nullptr) return;
  for (const auto& [classes, rows] : {std::pair{785, 16}, std::pair{49, 9}}) {
    const std::string graph = fmt::format(R"(graph
  in grad_output f16[8, {0}, {1}] strides ({2}, 1, {0})
  in output f16[8, {0}, {1}]
  out0 f16[8, {0}, {1}] = aten._softmax_backward_data.default(grad_output=grad_output, output=output, dim=1, input_dtype=f16)
  return out0
)",
                                          classes, rows, classes * rows);
    const ir::Loops loops = lowering::lower(ir::parseGraph(graph)).front();
    CHECK(localBytes(lowering::apply(loops, tests::hopper())) == 0);
  }
}

TEST_CASE("rows in shared memory compile, whatever persistent clusters have of them, and use no local memory") {
  if (tests::nvrtc() == nullptr) return;
  for (const auto& [shape, channels] : {std::pair{"64, 256, 64, 64", 256}, std::pair{"128, 16, 96, 96", 16}}) {
    for (const char* dtype : {"f16", "bf16", "f32"}) {
      const std::string graph = fmt::format(R"(graph
  in grad_out {0}[{1}]
  in input {0}[{1}]
  in mean f32[{2}]
  in invstd f32[{2}]
  out0 {0}[{1}], out1 f32[{2}], out2 f32[{2}] = aten.native_batch_norm_backward.default(grad_out=grad_out, input=input, weight=None, running_mean=None, running_var=None, save_mean=mean, save_invstd=invstd, train=True, eps=1e-05, output_mask=[True, True, True])
  return out0, out1, out2
)",
                                            dtype, shape, channels);
      const ir::Loops loops = lowering::lower(ir::parseGraph(graph)).front();
      const ir::Kernel kernel = lowering::apply(loops, tests::hopper());
      CAPTURE(graph);
      CHECK(kernel.launch.isPersistent);
      CHECK(localBytes(kernel) == 0);
    }
  }
}

TEST_CASE("CTAs that stay keep in registers what they read ahead and what columns add up to") {
  if (tests::nvrtc() == nullptr) return;
  for (const auto& [rows, columns] : {std::pair{16384, 768}, std::pair{65536, 144}, std::pair{8192, 2048}}) {
    CAPTURE(columns);
    const std::vector<ir::Loops> all = lowering::lower(ir::parseGraph(fmt::format(R"(graph
  in grad_out f16[{0}, {1}]
  in input    f16[{0}, {1}]
  in mean     f32[{0}, 1]
  in rstd     f32[{0}, 1]
  in weight   f16[{1}]
  in bias     f16[{1}]
  out0 f16[{0}, {1}], out1 f16[{1}], out2 f16[{1}] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[{1}], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])
  return out0, out1, out2
)",
                                                                                  rows, columns)));
    const lowering::LoopNests nests = tests::nestsOf(all, tests::hopper());
    const lowering::Schedule first = lowering::chooseSchedules(nests, tests::hopper()).front();
    REQUIRE(std::get<lowering::LayoutSchedule>(first).isPersistentKernel());
    for (const ir::Kernel& kernel : tests::kernelsOf(nests, tests::hopper())) CHECK(localBytes(kernel) == 0);
  }
}

TEST_CASE("scans of every schedule compile to registers") {
  if (tests::nvrtc() == nullptr) return;
  for (const auto& [op, type, dim] :
       std::vector<std::tuple<const char*, const char*, int>>{{"cumsum", "i64[4, 128]", 1},
                                                              {"cumsum", "f16[65536, 64]", 1},
                                                              {"cumprod", "f32[512, 8192]", 1},
                                                              {"logcumsumexp", "f16[64, 1001]", 1},
                                                              {"cumsum", "f64[16, 65536]", 1},
                                                              {"cumsum", "f32[1000003]", 0},
                                                              {"cumsum", "f16[1024, 65536]", 0},
                                                              {"logcumsumexp", "f32[1024, 1024]", 0},
                                                              {"cumprod", "i64[100000, 8]", 0}}) {
    CAPTURE(type);
    const ir::Graph graph =
        ir::parseGraph(fmt::format("graph\n  in self {1}\n  out0 {1} = aten.{0}.default(self=self, dim={2}{3})\n  return out0\n",
                                   op, type, dim, std::string_view(op).starts_with("log") ? "" : ", dtype=None"));
    CHECK(localBytes(lowering::apply(lowering::lower(graph).front(), tests::hopper())) == 0);
  }
}

TEST_CASE("a register array whose offsets are not known when it is compiled is local memory") {
  if (tests::nvrtc() == nullptr) return;
  CHECK(localBytes(ir::parseKernel(R"(kernel k on cuda
  launch 1 blocks of 32 threads
  index32
  in  self i32[128] align 4
  out out0 f32[32] align 4
  private r f32[128]
  for i0 in 1 grid
    for i1 in 32 thread
      for i2 in 128 unrolled
        lanes l0 in 1
          r[i2] = f32(self[i2])
      lanes l1 in 1
        out0[i1] = r[i64(self[i1]) % 128]
)")) >= 512);
}

TEST_CASE("every shape of a Combine compiles, for every type and operation") {
  if (tests::nvrtc() == nullptr) return;
  for (const tests::CombineShape& shape : tests::combineShapes()) {
    CAPTURE(shape.threads);
    CAPTURE(shape.ctas);
    CAPTURE(ir::name(shape.dtype));
    CAPTURE(shape.op);
    CHECK(localBytes(tests::combineKernel(shape)) == 0);
  }
}

}  // namespace
