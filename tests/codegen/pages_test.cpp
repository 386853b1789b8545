// The golden pages: each shows one idea from the graph to both backends' source, on an example small enough to read.
// `tests/golden/pages/*.txt` is written by the test program's --update-golden.
#include <doctest/doctest.h>

#include "codegen/cuda.h"
#include "codegen/llvm.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowering/fuse.h"
#include "lowering/lowering.h"
#include "lowering/together.h"
#include "tests/golden.h"
#include "tests/targets.h"

namespace {

/// The CUDA source of a program without the prelude, which is the same for all.
std::string withoutPrelude(const codegen::Program& program) {
  const std::string_view prelude = codegen::cudaPrelude();
  REQUIRE(program.source.starts_with(prelude));
  return program.source.substr(prelude.size());
}

/// What a page shows after the kernels.
enum class Sources : uint8_t { None, Cuda, Both };

std::string textOf(const std::vector<ir::Loops>& all) {
  std::string text;
  for (const ir::Loops& loops : all) {
    ir::verify(loops);
    text += "\n" + ir::toText(loops);
  }
  return text;
}

void page(const std::string& name, const std::string& graphText, Sources sources = Sources::None) {
  CAPTURE(name);
  const ir::Graph graph = ir::parseGraph(graphText);
  ir::verify(graph);
  std::string text = ir::toText(graph);
  const std::vector<ir::Loops> all = lowering::lower(graph);
  text += textOf(all);
  for (const ir::Target& target : {tests::hopper(), tests::avx512()}) {
    const std::vector<ir::Loops> fused = lowering::fused(all, target);
    if (fused.size() != all.size()) text += textOf(fused);
    for (const ir::Kernel& kernel : lowering::scheduleAll(fused, target, lowering::chooseTilings(fused, target))) {
      ir::verify(kernel);
      text += "\n" + ir::toText(kernel);
      if (sources != Sources::None && target.backend == ir::Backend::Cuda)
        text += "\n" + withoutPrelude(codegen::emitCuda(kernel, target));
      if (sources == Sources::Both && target.backend == ir::Backend::Cpu) text += "\n" + codegen::emitLlvm(kernel, target).source;
    }
  }
  tests::checkGolden("pages/" + name + ".txt", text);
}

constexpr Sources withSources = Sources::Both, withCuda = Sources::Cuda;

TEST_CASE("a sum of two tensors, through every stage") {
  page("add", R"(graph
  in self  f16[64, 96]
  in other f16[64, 96]
  out0 f16[64, 96] = aten.add.Tensor(self=self, other=other, alpha=1)
  return out0
)",
       withSources);
}

TEST_CASE("a row added to every row: read as vectors, its index the remainder of the row") {
  page("broadcast_row", R"(graph
  in self  f32[64, 96]
  in other f32[96]
  out0 f32[64, 96] = aten.add.Tensor(self=self, other=other, alpha=1)
  return out0
)");
}

TEST_CASE("a column: one value a row, the same for all lanes") {
  page("broadcast_column", R"(graph
  in self  f32[64, 96]
  in other f32[64, 1]
  out0 f32[64, 96] = aten.mul.Tensor(self=self, other=other)
  return out0
)");
}

TEST_CASE("rows that are no multiple of a vector: vectors run on over the end, and each lane picks its row's value") {
  page("odd_rows", R"(graph
  in self  f16[32, 7, 7]
  in other f16[32, 1, 1]
  out0 f16[32, 7, 7] = aten.mul.Tensor(self=self, other=other)
  return out0
)",
       withSources);
}

TEST_CASE("a transposed operand is read lane by lane") {
  page("transposed", R"(graph
  in self  f32[64, 32]
  in other f32[64, 32] strides (1, 64)
  out0 f32[64, 32] = aten.add.Tensor(self=self, other=other, alpha=1)
  return out0
)");
}

TEST_CASE("both operands transposed alike: the axes are reordered and it is flat again") {
  page("memory_order", R"(graph
  in self  f32[64, 32] strides (1, 64)
  in other f32[64, 32] strides (1, 64)
  out0 f32[64, 32] strides (1, 64) = aten.add.Tensor(self=self, other=other, alpha=1)
  return out0
)");
}

TEST_CASE("a number of elements that is no multiple of a vector: the last vector is partly active") {
  page("tail", R"(graph
  in self f16[1, 13]
  out0 f16[1, 13] = aten.relu.default(self=self)
  return out0
)",
       withSources);
}

TEST_CASE("in place: the buffer is read and written") {
  page("in_place", R"(graph
  in self f16[64, 96]
  self = aten.relu_.default(self=self) writes self
  return self
)");
}

TEST_CASE("in place with promotion: computed in f32, rounded back to what self holds") {
  page("in_place_promoted", R"(graph
  in self  f16[64, 96]
  in other f32[64, 96]
  self = aten.add_.Tensor(self=self, other=other, alpha=0.5) writes self
  return self
)");
}

TEST_CASE("a comparison stores bytes") {
  page("comparison", R"(graph
  in self f16[64, 96]
  out0 b8[64, 96] = aten.gt.Scalar(self=self, other=0)
  return out0
)",
       withSources);
}

TEST_CASE("a mask takes no part in promotion") {
  page("masked_fill", R"(graph
  in self f16[4, 8, 16]
  in mask b8[4, 1, 16]
  out0 f16[4, 8, 16] = aten.masked_fill.Scalar(self=self, mask=mask, value=-inf)
  return out0
)");
}

TEST_CASE("a function of halves may be computed by a shorter formula") {
  page("gelu", R"(graph
  in self f16[64, 96]
  out0 f16[64, 96] = aten.gelu.default(self=self, approximate="none")
  return out0
)",
       withSources);
}

TEST_CASE("the same function of floats is accurate to the last bits") {
  page("gelu_f32", R"(graph
  in self f32[64, 96]
  out0 f32[64, 96] = aten.gelu.default(self=self, approximate="none")
  return out0
)");
}

TEST_CASE("integers stay integers") {
  page("floor_divide", R"(graph
  in self  i64[60]
  in other i64[60]
  out0 i64[60] = aten.floor_divide.default(self=self, other=other)
  return out0
)",
       withSources);
}

TEST_CASE("an integer divided truly is an f32") {
  page("true_divide", R"(graph
  in self  i64[64]
  out0 f32[64] = aten.div.Tensor(self=self, other=3)
  return out0
)");
}

TEST_CASE("a tensor without dimensions does not widen the others, and is read once") {
  page("zero_dim", R"(graph
  in self  f16[64, 96]
  in other f32[]
  out0 f16[64, 96] = aten.mul.Tensor(self=self, other=other)
  return out0
)");
}

TEST_CASE("indices are values too: the lower triangle") {
  page("tril", R"(graph
  in self f32[12, 12]
  out0 f32[12, 12] = aten.tril.default(self=self, diagonal=-1)
  return out0
)");
}

TEST_CASE("bfloat16 to float16 passes through f32") {
  page("to_copy", R"(graph
  in self bf16[64, 96]
  out0 f16[64, 96] = aten._to_copy.default(self=self, dtype=f16)
  return out0
)",
       withSources);
}

TEST_CASE("a complex tensor is its pairs of reals") {
  page("complex", R"(graph
  in self f16[8, 16]
  out0 c32[8, 16] = aten._to_copy.default(self=self, dtype=c32)
  return out0
)");
}

TEST_CASE("channels last: memory order, not the order of the dimensions") {
  page("channels_last", R"(graph
  in self  f16[2, 8, 5, 5] strides (200, 1, 40, 8)
  in other f16[1, 8, 1, 1]
  out0 f16[2, 8, 5, 5] strides (200, 1, 40, 8) = aten.mul.Tensor(self=self, other=other)
  return out0
)");
}

TEST_CASE("a large result bypasses the CPU's caches") {
  page("stream_stores", R"(graph
  in self  f32[1024, 4096]
  out0 f32[1024, 4096] = aten.neg.default(self=self)
  return out0
)",
       withSources);
}

TEST_CASE("a gradient reads two tensors and computes in f32") {
  page("silu_backward", R"(graph
  in grad_output bf16[64, 96]
  in self        bf16[64, 96]
  out0 bf16[64, 96] = aten.silu_backward.default(grad_output=grad_output, self=self)
  return out0
)");
}

TEST_CASE("a fill reads nothing") {
  page("fill", R"(graph
  in self f16[64, 96]
  self = aten.fill_.Scalar(self=self, value=1) writes self
  return self
)");
}

TEST_CASE("softmax: a warp a row, which it reads once and keeps in registers") {
  page("softmax", R"(graph
  in self f16[64, 256]
  out0 f16[64, 256] = aten._softmax.default(self=self, dim=-1, half_to_float=False)
  return out0
)",
       withCuda);
}

TEST_CASE("layer norm: weights are read with the row, before the mean is known; two passes, the second around the mean") {
  page("layer_norm", R"(graph
  in input  f16[64, 1024]
  in weight f16[1024]
  in bias   f16[1024]
  out0 f16[64, 1024], out1 f32[64, 1], out2 f32[64, 1] = aten.native_layer_norm.default(input=input, normalized_shape=[1024], weight=weight, bias=bias, eps=1e-05)
  return out0, out1, out2
)",
       withCuda);
}

TEST_CASE("batch norm of odd planes: runs that start anywhere are read as the aligned windows that cover them") {
  page("batch_norm", R"(graph
  in input        f16[8, 3, 19, 19]
  in running_mean f32[3]
  in running_var  f32[3]
  out0 f16[8, 3, 19, 19], out1 f32[3], out2 f32[3] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=True, momentum=0.1, eps=1e-05) writes running_mean, running_var
  return out0, out1, out2, running_mean, running_var
)",
       withCuda);
}

TEST_CASE("a long odd row stays in shared memory between the sweeps over it") {
  page("long_odd_row", R"(graph
  in self f16[256, 50265]
  out0 f16[256, 50265] = aten._log_softmax.default(self=self, dim=-1, half_to_float=False)
  return out0
)",
       withCuda);
}

TEST_CASE("a row that is long and one of few: a cluster of CTAs shares it") {
  page("cluster_row", R"(graph
  in self f32[4, 65536]
  out0 f32[4, 65536] = aten._softmax.default(self=self, dim=-1, half_to_float=False)
  return out0
)",
       withCuda);
}

TEST_CASE("rows that are read across memory and written along it: tiles of them in shared memory") {
  page("staged_rows", R"(graph
  in input  f16[64, 196, 256] strides (50176, 1, 196)
  in weight f16[256]
  in bias   f16[256]
  out0 f16[64, 196, 256], out1 f32[64, 196, 1], out2 f32[64, 196, 1] = aten.native_layer_norm.default(input=input, normalized_shape=[256], weight=weight, bias=bias, eps=1e-05)
  return out0, out1, out2
)",
       withCuda);
}

TEST_CASE("few channels that are large: a team of CTAs shares one, a slice in each one's shared memory") {
  page("team_row", R"(graph
  in input f16[64, 16, 64, 64]
  out0 f16[64, 16, 64, 64], out1 f32[16], out2 f32[16] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)",
       withCuda);
}

TEST_CASE("elements that need no reduction, and reductions of rows of them: one sweep on a GPU") {
  page("elements_and_rows", R"(graph
  in grad_out     f16[16, 8, 32, 32]
  in input        f16[16, 8, 32, 32]
  in running_mean f16[8]
  in running_var  f16[8]
  out0 f16[16, 8, 32, 32], out1 f16[8], out2 f16[8] = aten.native_batch_norm_backward.default(grad_out=grad_out, input=input, weight=None, running_mean=running_mean, running_var=running_var, save_mean=None, save_invstd=None, train=False, eps=1e-05, output_mask=[True, True, True])
  return out0, out1, out2
)");
}

TEST_CASE("a sum over the first dimension: threads side by side add different columns, a cluster finishes them") {
  page("sum_columns", R"(graph
  in self f16[512, 4096]
  out0 f16[1, 4096] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=True, dtype=None)
  return out0
)",
       withCuda);
}

TEST_CASE("gradients of a layer norm: the matrix is read once, row by row, for sums of its rows and of its columns") {
  page("layer_norm_backward", R"(graph
  in grad_out f16[16384, 768]
  in input    f16[16384, 768]
  in mean     f32[16384, 1]
  in rstd     f32[16384, 1]
  in weight   f16[768]
  in bias     f16[768]
  out0 f16[16384, 768], out1 f16[768], out2 f16[768] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[768], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])
  return out0, out1, out2
)",
       withCuda);
}

TEST_CASE(
    "gradients of a group norm: sums of each sample's channels, what is made of them, and a pass backwards over the elements") {
  page("group_norm_backward", R"(graph
  in grad_out f16[64, 192, 28, 28]
  in input    f16[64, 192, 28, 28]
  in mean     f16[64, 1]
  in rstd     f16[64, 1]
  in weight   f16[192]
  out0 f16[64, 192, 28, 28], out1 f16[192], out2 f16[192] = aten.native_group_norm_backward.default(grad_out=grad_out, input=input, mean=mean, rstd=rstd, weight=weight, N=64, C=192, HxW=784, group=1, output_mask=[True, True, True])
  return out0, out1, out2
)");
}

TEST_CASE("batch norm of a matrix: once all CTAs know what the columns add up to, they go over their rows again") {
  page("batch_norm_columns", R"(graph
  in input f16[25088, 256]
  out0 f16[25088, 256], out1 f32[256], out2 f32[256] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)",
       withCuda);
}

TEST_CASE("a sum of everything: every CTA leaves its share, and the last one to finish adds them") {
  page("sum_all", R"(graph
  in self f32[1024, 1024]
  out0 f32[] = aten.sum.default(self=self, dtype=None)
  return out0
)",
       withCuda);
}

TEST_CASE("a mean of short rows: several rows a warp") {
  page("mean_short_rows", R"(graph
  in self f16[4096, 64]
  out0 f16[4096, 1] = aten.mean.dim(self=self, dim=[-1], keepdim=True, dtype=None)
  return out0
)",
       withCuda);
}

TEST_CASE("the place of a maximum: the maximum first, then the least place that has it") {
  page("max_dim", R"(graph
  in self f32[64, 128]
  out0 f32[64], out1 i64[64] = aten.max.dim(self=self, dim=-1, keepdim=False)
  return out0, out1
)");
}

TEST_CASE("a cumulative sum of rows: every warp starts from what those before it in the row came to") {
  page("cumsum_rows", R"(graph
  in self f16[64, 2048]
  out0 f16[64, 2048] = aten.cumsum.default(self=self, dim=-1, dtype=None)
  return out0
)",
       withCuda);
}

TEST_CASE("a cumulative sum of columns: threads one above the other take elements that follow each other") {
  page("cumsum_columns", R"(graph
  in self f32[1024, 64]
  out0 f32[1024, 64] = aten.cumsum.default(self=self, dim=0, dtype=None)
  return out0
)",
       withCuda);
}

TEST_CASE("a cumulative sum of one long row: every CTA leaves what its share comes to, then all start from those before theirs") {
  page("cumsum_grid", R"(graph
  in self i64[1000000]
  out0 i64[1000000] = aten.cumsum.default(self=self, dim=0, dtype=None)
  return out0
)",
       withCuda);
}

}  // namespace
