// The golden pages: each shows one idea from the graph to both backends' source, on an example small enough to read.
// `tests/golden/pages/*.txt` is written by the test program's --update-golden.
#include <doctest/doctest.h>

#include "tests/codegen/pages.h"

namespace {

using tests::page;

constexpr tests::Sources withSources = tests::Sources::Both;

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

TEST_CASE("coins: random words of neighbours are computed together, four at once") {
  page("bernoulli", R"(graph
  in self f16[64, 96]
  generator random i64[2]
  self = aten.bernoulli_.float(self=self, p=0.25, generator=None) writes self
  return self
)",
       withSources);
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

TEST_CASE("padding: a load reads where its mask holds, a vector of a row in whole, and one that is shifted lane by lane") {
  page("padded_rows", R"(graph
  in self f16[3, 32]
  out0 f16[6, 32] = aten.constant_pad_nd.default(self=self, pad=[0, 0, 1, 2], value=0.5)
  return out0
)",
       withSources);
  page("padded", R"(graph
  in self f32[3, 30]
  out0 f32[4, 32] = aten.constant_pad_nd.default(self=self, pad=[1, 1, 2, -1], value=0)
  return out0
)",
       withSources);
}

TEST_CASE("what an index tensor scatters is added atomically, to what earlier loops store: low precision in f32, rounded once") {
  page("scatter_add", R"(graph
  in self  f32[16, 32]
  in index i64[8, 32]
  in src   f32[8, 32]
  out0 f32[16, 32] = aten.scatter_add.default(self=self, dim=0, index=index, src=src)
  return out0
)",
       withSources);
  page("index_add_in_place", R"(graph
  in self   f16[16, 32]
  in index  i64[24]
  in source f16[24, 32]
  self = aten.index_add_.default(self=self, dim=0, index=index, source=source, alpha=1) writes self
  return self
)",
       withSources);
}

TEST_CASE("a large transposed operand goes through tiles in shared memory") {
  page("transposed_tiles", R"(graph
  in self  f16[512, 512]
  in other f16[512, 512] strides (1, 512)
  out0 f16[512, 512] = aten.add.Tensor(self=self, other=other, alpha=1)
  return out0
)",
       tests::Sources::Cuda);
}

TEST_CASE("a small transposed operand is read lane by lane on a GPU, and in squares on a CPU") {
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

}  // namespace
