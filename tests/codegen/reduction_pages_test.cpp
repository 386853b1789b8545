// The golden pages of reductions, softmax, norms and scans; as in pages_test.cpp.
#include <doctest/doctest.h>

#include "tests/codegen/pages.h"

namespace {

using tests::page;

constexpr tests::Sources withCuda = tests::Sources::Cuda;

TEST_CASE("softmax: a warp a row, which it reads once and holds in registers") {
  page("softmax", R"(graph
  in self f16[64, 256]
  out0 f16[64, 256] = aten._softmax.default(self=self, dim=-1, half_to_float=False)
  return out0
)",
       withCuda);
}

TEST_CASE("rows that start anywhere: narrow vectors; the exponentials stay in registers, too") {
  page("narrow_rows", R"(graph
  in self f16[4096, 198]
  out0 f16[4096, 198] = aten._softmax.default(self=self, dim=-1, half_to_float=False)
  return out0
)",
       withCuda);
}

TEST_CASE("short rows that are no vectors: contiguous tiles of them are copied to shared memory in whole ones") {
  page("short_odd_rows", R"(graph
  in self f16[65536, 49]
  out0 f16[65536, 49] = aten._softmax.default(self=self, dim=-1, half_to_float=False)
  return out0
)",
       withCuda);
}

TEST_CASE("layer norm: weights are read with the row, before the mean is computed; two traversals, the second around the mean") {
  page("layer_norm", R"(graph
  in input  f16[64, 1024]
  in weight f16[1024]
  in bias   f16[1024]
  out0 f16[64, 1024], out1 f32[64, 1], out2 f32[64, 1] = aten.native_layer_norm.default(input=input, normalized_shape=[1024], weight=weight, bias=bias, eps=1e-05)
  return out0, out1, out2
)",
       withCuda);
}

TEST_CASE("batch norm of odd planes: runs that start anywhere are read through aligned covers") {
  page("batch_norm", R"(graph
  in input        f16[8, 3, 19, 19]
  in running_mean f32[3]
  in running_var  f32[3]
  out0 f16[8, 3, 19, 19], out1 f32[3], out2 f32[3] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=True, momentum=0.1, eps=1e-05) writes running_mean, running_var
  return out0, out1, out2, running_mean, running_var
)",
       withCuda);
}

TEST_CASE("a long odd row is held in shared memory between its traversals") {
  page("long_odd_row", R"(graph
  in self f16[256, 50265]
  out0 f16[256, 50265] = aten._log_softmax.default(self=self, dim=-1, half_to_float=False)
  return out0
)",
       withCuda);
}

TEST_CASE("a row that is long and one of few: it is split over a cluster of CTAs") {
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

TEST_CASE("gradients of weights where a tensor lies across the others: split sums, the first stage in tiles") {
  page("split_sums", R"(graph
  in grad_out f16[64, 196, 384]
  in input    f16[64, 196, 384] strides (75264, 1, 196)
  in mean     f32[64, 196, 1]
  in rstd     f32[64, 196, 1]
  in weight   f16[384]
  in bias     f16[384]
  out0 f16[64, 196, 384], out1 f16[384], out2 f16[384] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[384], mean=mean, rstd=rstd, weight=weight, bias=bias, output_mask=[True, True, True])
  return out0, out1, out2
)",
       withCuda);
}

TEST_CASE("few channels that are large: a persistent cluster of CTAs has one, a slice in each CTA's shared memory") {
  page("persistent_row", R"(graph
  in input f16[64, 16, 64, 64]
  out0 f16[64, 16, 64, 64], out1 f32[16], out2 f32[16] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)",
       withCuda);
}

TEST_CASE("elements that need no reduction, and reductions of rows of them: one traversal on a GPU") {
  page("elements_and_rows", R"(graph
  in grad_out     f16[16, 8, 32, 32]
  in input        f16[16, 8, 32, 32]
  in running_mean f16[8]
  in running_var  f16[8]
  out0 f16[16, 8, 32, 32], out1 f16[8], out2 f16[8] = aten.native_batch_norm_backward.default(grad_out=grad_out, input=input, weight=None, running_mean=running_mean, running_var=running_var, save_mean=None, save_invstd=None, train=False, eps=1e-05, output_mask=[True, True, True])
  return out0, out1, out2
)");
}

TEST_CASE("three results of three sizes: elements, sums and maxima of the same channels are one traversal on a GPU") {
  page("three_loops", R"(graph
  in self f16[16, 8, 32, 32]
  out0 f16[16, 8, 32, 32] = aten.neg.default(self=self)
  out1 f32[8] = aten.sum.dim_IntList(self=self, dim=[0, 2, 3], keepdim=False, dtype=f32)
  out2 f16[1, 8, 1, 1] = aten.amax.default(self=self, dim=[0, 2, 3], keepdim=True)
  return out0, out1, out2
)");
}

TEST_CASE("a sum over the first dimension: neighbouring threads add different columns, a cluster combines them") {
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

TEST_CASE("batch norm of a matrix: after a grid barrier all CTAs traverse their rows again") {
  page("batch_norm_columns", R"(graph
  in input f16[25088, 256]
  out0 f16[25088, 256], out1 f32[256], out2 f32[256] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)",
       withCuda);
}

TEST_CASE("elements, and sums of their columns: one traversal stores the ones and adds the others") {
  page("stored_columns", R"(graph
  in grad_output f16[16, 512, 768]
  in self        f16[16, 512, 768]
  y0 f16[16, 512, 768] = aten.silu_backward.default(grad_output=grad_output, self=self)
  y1 f16[8192, 768] of y0 = aten.view.default(self=y0, size=[8192, 768])
  y2 f16[768] = aten.sum.dim_IntList(self=y1, dim=[0], keepdim=False, dtype=None)
  return y0, y2
)",
       withCuda);
}

TEST_CASE("a sum of everything: every CTA stores a partial result, and the last one adds them") {
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

TEST_CASE("a cumulative sum of one long row: every CTA stores its split's total, then all start from the totals before theirs") {
  page("cumsum_grid", R"(graph
  in self i64[1000000]
  out0 i64[1000000] = aten.cumsum.default(self=self, dim=0, dtype=None)
  return out0
)",
       withCuda);
}

}  // namespace
