// Reductions in loops: one page an idea.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/tensor/lowering.h"

namespace {

/// The loops of a graph of these lines, without their heads of buffers.
std::string loopsOf(const std::string& lines) {
  std::string text;
  for (const ir::Loops& loops : lowering::lower(ir::parseGraph("graph\n" + lines))) {
    ir::verify(loops);
    const std::string page = ir::toText(loops);
    text += page.substr(std::min(page.find("  for "), page.find("  once")));
  }
  return text;
}

std::string refusalOf(const std::string& lines) {
  try {
    lowering::lower(ir::parseGraph("graph\n" + lines));
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST_CASE("softmax: two reductions of a row, of which the second is around the first") {
  CHECK(loopsOf(R"(  in self f16[8, 16]
  out0 f16[8, 16] = aten._softmax.default(self=self, dim=-1, half_to_float=False)
  return out0
)") == R"(  for i0 in 8, i1 in 16 reduce i2 in 16, i3 in 16
    let t0 = max[i2](f32(self[i0*16 + i2]))
    out0[i0*16 + i1] = f16(exp(f32(self[i0*16 + i1]) - t0) * (f32(1) / add[i3](exp(f32(self[i0*16 + i3]) - t0))))
)");
}

TEST_CASE("a sum along which memory repeats one element is that element times their number") {
  CHECK(loopsOf(R"(  in self f16[8, 16] strides (0, 1)
  out0 f16[] = aten.sum.default(self=self, dtype=None)
  return out0
)") == R"(  once reduce i0 in 16
    out0[0] = f16(add[i0](f32(self[i0])) * f32(8))
)");
  CHECK(loopsOf(R"(  in self f16[8, 16] strides (0, 0)
  out0 f16[1, 16] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=True, dtype=None)
  return out0
)") == R"(  for i0 in 1, i1 in 16
    out0[i1] = f16(f32(self[0]) * f32(8))
)");
}

TEST_CASE("a cumulative sum: integers in i64, halves in f32, along one of the loops' axes") {
  CHECK(loopsOf(R"(  in self i32[8, 16]
  out0 i64[8, 16] = aten.cumsum.default(self=self, dim=-1, dtype=None)
  return out0
)") == R"(  for i0 in 8, i1 in 16
    out0[i0*16 + i1] = add[to i1](i64(self[i0*16 + i1]))
)");
  CHECK(loopsOf(R"(  in self f16[8, 16]
  out0 f16[8, 16] = aten.logcumsumexp.default(self=self, dim=0)
  return out0
)") == R"(  for i0 in 8, i1 in 16
    out0[i0*16 + i1] = f16(logaddexp[to i0](f32(self[i0*16 + i1])))
)");
}

TEST_CASE("layer norm: a row's mean and deviation are stored once, from the reductions of the whole") {
  CHECK(loopsOf(R"(  in input  f16[8, 16]
  in weight f16[16]
  in bias   f16[16]
  out0 f16[8, 16], out1 f32[8, 1], out2 f32[8, 1] = aten.native_layer_norm.default(input=input, normalized_shape=[16], weight=weight, bias=bias, eps=1e-05)
  return out0, out1, out2
)") == R"(  for i0 in 8, i1 in 16 reduce i2 in 16, i3 in 16
    let t0 = add[i2](f32(input[i0*16 + i2])) / f32(16)
    let t1 = f32(input[i0*16 + i3]) - t0
    let t2 = rsqrt(add[i3](t1 * t1) / f32(16) + f32(1e-05))
    out0[i0*16 + i1] = f16((f32(input[i0*16 + i1]) - t0) * t2 * f32(weight[i1]) + f32(bias[i1]))
    out1[i0] = t0
    out2[i0] = t2
)");
}

TEST_CASE("layer norm backward: rows and columns are loops of their own") {
  CHECK(loopsOf(R"(  in grad_out f32[8, 16]
  in input    f32[8, 16]
  in mean     f32[8, 1]
  in rstd     f32[8, 1]
  out0 f32[8, 16], out1 f32[16] = aten.native_layer_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[16], mean=mean, rstd=rstd, weight=None, bias=None, output_mask=[True, False, True])
  return out0, out1
)") == R"(  for i0 in 8, i1 in 16 reduce i2 in 16, i3 in 16
    let t0 = rstd[i0]
    let t1 = mean[i0]
    let t2 = grad_out[i0*16 + i1] - add[i2](grad_out[i0*16 + i2]) / f32(16) - (input[i0*16 + i1] - t1) * t0 * (add[i3](grad_out[i0*16 + i3] * ((input[i0*16 + i3] - t1) * t0)) / f32(16))
    out0[i0*16 + i1] = t0 * t2
  for i0 in 16 reduce i1 in 8
    out1[i0] = add[i1](grad_out[i1*16 + i0])
)");
}

TEST_CASE("the gradient of a norm by mean squares: a row has one reduction, and columns are loops of their own") {
  CHECK(loopsOf(R"(  in grad_out f16[8, 16]
  in input    f16[8, 16]
  in rstd     f32[8, 1]
  in weight   f16[16]
  out0 f16[8, 16], out1 f16[16] = aten._fused_rms_norm_backward.default(grad_out=grad_out, input=input, normalized_shape=[16], rstd=rstd, weight=weight, output_mask=[True, True])
  return out0, out1
)") == R"(  for i0 in 8, i1 in 16 reduce i2 in 16
    let t0 = rstd[i0]
    let t1 = f32(input[i0*16 + i1]) * t0 * (add[i2](f32(grad_out[i0*16 + i2]) * f32(weight[i2]) * (f32(input[i0*16 + i2]) * t0)) / f32(16))
    out0[i0*16 + i1] = f16((f32(grad_out[i0*16 + i1]) * f32(weight[i1]) - t1) * t0)
  for i0 in 16 reduce i1 in 8
    out1[i0] = f16(add[i1](f32(grad_out[i1*16 + i0]) * (f32(input[i1*16 + i0]) * rstd[i1])))
)");
}

TEST_CASE("batch norm in training: one traversal around the median of three elements; running statistics are written in place") {
  CHECK(loopsOf(R"(  in input        f16[4, 3, 5, 5]
  in running_mean f32[3]
  in running_var  f32[3]
  out0 f16[4, 3, 5, 5], out1 f32[3], out2 f32[3] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=True, momentum=0.1, eps=1e-05) writes running_mean, running_var
  return out0, out1, out2, running_mean, running_var
)") == R"(  for i0 in 4, i1 in 3, i2 in 5, i3 in 5 reduce i4 in 4, i5 in 5, i6 in 5, i7 in 4, i8 in 5, i9 in 5
    let t0 = i0*75 + i1*25 + i2*5 + i3
    let t1 = f32(input[i1*25])
    let t2 = f32(input[i1*25 + 1])
    let t3 = max(min(t1, t2), min(max(t1, t2), f32(input[i1*25 + 2])))
    let t4 = add[i4, i5, i6](f32(input[i4*75 + i1*25 + i5*5 + i6]) - t3)
    let t5 = t3 + t4 / f32(100)
    let t6 = f32(input[i7*75 + i1*25 + i8*5 + i9]) - t3
    let t7 = add[i7, i8, i9](t6 * t6)
    let t8 = where((t7 == f32(inf)) & (abs(t4) < f32(inf)), t7, max(t7 - t4 * t4 / f32(100), f32(0)))
    let t9 = rsqrt(t8 / f32(100) + f32(1e-05))
    out0[t0] = f16((f32(input[t0]) - t5) * t9)
    running_mean[i1] = running_mean[i1] * f32(0.9) + t5 * f32(0.1)
    running_var[i1] = running_var[i1] * f32(0.9) + t8 / f32(99) * f32(0.1)
    out1[i1] = t5
    out2[i1] = t9
)");
}

TEST_CASE("cuDNN's batch norm is ATen's, with an empty reserve space") {
  const std::string head = R"(  in input        f16[4, 3, 5, 5]
  in running_mean f32[3]
  in running_var  f32[3]
)";
  const std::string native = loopsOf(
      head +
      R"(  out0 f16[4, 3, 5, 5], out1 f32[3], out2 f32[3] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=True, momentum=0.1, eps=1e-05) writes running_mean, running_var
  return out0, out1, out2, running_mean, running_var
)");
  CHECK(
      loopsOf(
          head +
          R"(  out0 f16[4, 3, 5, 5], out1 f32[3], out2 f32[3], out3 u8[0] = aten.cudnn_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=True, exponential_average_factor=0.1, epsilon=1e-05) writes running_mean, running_var
  return out0, out1, out2, out3, running_mean, running_var
)") == native);
}

TEST_CASE("batch norm in evaluation reduces nothing: the statistics handed out are loops of their own") {
  CHECK(loopsOf(R"(  in input        f32[4, 3, 5, 5]
  in running_mean f32[3]
  in running_var  f32[3]
  out0 f32[4, 3, 5, 5], out1 f32[3], out2 f32[3] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=False, momentum=0.1, eps=1e-05)
  return out0, out1, out2
)") == R"(  for i0 in 4, i1 in 3, i2 in 5, i3 in 5
    let t0 = i0*75 + i1*25 + i2*5 + i3
    out0[t0] = (input[t0] - running_mean[i1]) * rsqrt(running_var[i1] + f32(1e-05))
  for i0 in 3
    out1[i0] = running_mean[i0]
    out2[i0] = rsqrt(running_var[i0] + f32(1e-05))
)");
}

// The second pass over elements wider than halves also says how far off the first one's mean is.
TEST_CASE("group norm: channels in two axes, groups and their members, so that a group's result is a row's") {
  CHECK(loopsOf(R"(  in input f32[4, 6, 5]
  out0 f32[4, 6, 5], out1 f32[4, 2], out2 f32[4, 2] = aten.native_group_norm.default(input=input, weight=None, bias=None, N=4, C=6, HxW=5, group=2, eps=1e-05)
  return out0, out1, out2
)") == R"(  for i0 in 4, i1 in 2, i2 in 3, i3 in 5 reduce i4 in 3, i5 in 5, i6 in 3, i7 in 5, i8 in 3, i9 in 5
    let t0 = i0*30 + (i1*3 + i2)*5 + i3
    let t1 = add[i4, i5](input[i0*30 + (i1*3 + i4)*5 + i5]) / f32(15)
    let t2 = add[i6, i7](input[i0*30 + (i1*3 + i6)*5 + i7] - t1)
    let t3 = t1 + t2 / f32(15)
    let t4 = input[i0*30 + (i1*3 + i8)*5 + i9] - t1
    let t5 = add[i8, i9](t4 * t4)
    let t6 = rsqrt(where((t5 == f32(inf)) & (abs(t2) < f32(inf)), t5, max(t5 - t2 * t2 / f32(15), f32(0))) / f32(15) + f32(1e-05))
    out0[t0] = (input[t0] - t3) * t6
    out1[i0*2 + i1] = t3
    out2[i0*2 + i1] = t6
)");
}

// What is stored for others to read is named partial0, partial1, ...
TEST_CASE("group norm's gradients: sums of groups and of channels are made of those of each sample's channels, stored before") {
  CHECK(loopsOf(R"(  in grad_out f32[4, 6, 5]
  in input    f32[4, 6, 5]
  in mean     f32[4, 2]
  in rstd     f32[4, 2]
  out0 f32[4, 6, 5], out1 f32[6], out2 f32[6] = aten.native_group_norm_backward.default(grad_out=grad_out, input=input, mean=mean, rstd=rstd, weight=None, N=4, C=6, HxW=5, group=2, output_mask=[True, True, True])
  return out0, out1, out2
)") == R"(  for i0 in 4, i1 in 2, i2 in 3, i3 in 1 reduce i4 in 5, i5 in 5
    let t0 = i0*30 + (i1*3 + i2)*5 + i5
    partial0[i0*6 + (i1*3 + i2)] = add[i4](grad_out[i0*30 + (i1*3 + i2)*5 + i4])
    partial1[i0*6 + (i1*3 + i2)] = add[i5](grad_out[t0] * ((input[t0] - mean[i0*2 + i1]) * rstd[i0*2 + i1]))
  for i0 in 4, i1 in 2, i2 in 1, i3 in 1 reduce i4 in 3, i5 in 3
    partial2[i0*2 + i1] = add[i4](partial0[i0*6 + (i1*3 + i4)] / f32(15))
    partial3[i0*2 + i1] = add[i5](partial1[i0*6 + (i1*3 + i5)] / f32(15))
  for i0 in 6 reduce i1 in 4, i2 in 4
    out1[i0] = add[i1](partial1[i1*6 + i0])
    out2[i0] = add[i2](partial0[i2*6 + i0])
  for i0 in 4, i1 in 2, i2 in 3, i3 in 5
    let t0 = i0*30 + (i1*3 + i2)*5 + i3
    let t1 = rstd[i0*2 + i1]
    out0[t0] = t1 * (grad_out[t0] - partial2[i0*2 + i1] - (input[t0] - mean[i0*2 + i1]) * t1 * partial3[i0*2 + i1])
)");
}

TEST_CASE("a sum of sums along another axis takes loops before it") {
  CHECK(loopsOf(R"(  in self f32[8, 16]
  x0 f32[8, 16] = aten._softmax.default(self=self, dim=-1, half_to_float=False)
  out0 f32[16] = aten.sum.dim_IntList(self=x0, dim=[0], keepdim=False, dtype=None)
  return out0
)") == R"(  for i0 in 8, i1 in 1 reduce i2 in 16, i3 in 16
    let t0 = max[i2](self[i0*16 + i2])
    partial0[i0] = t0
    partial1[i0] = add[i3](exp(self[i0*16 + i3] - t0))
  for i0 in 16 reduce i1 in 8
    out0[i0] = add[i1](exp(self[i1*16 + i0] - partial0[i1]) * (f32(1) / partial1[i1]))
)");
}

TEST_CASE("the place of a maximum is the least of the places that have it, or a NaN") {
  CHECK(loopsOf(R"(  in self f32[8, 16]
  out0 f32[8], out1 i64[8] = aten.max.dim(self=self, dim=-1, keepdim=False)
  return out0, out1
)") == R"(  for i0 in 8 reduce i1 in 16, i2 in 16
    let t0 = max[i1](self[i0*16 + i1])
    let t1 = self[i0*16 + i2]
    out0[i0] = t0
    out1[i0] = min[i2](where((t1 == t0) | isnan(t1), i2, 16))
)");
}

TEST_CASE("a loss reads scores where the targets say, and only where there are scores") {
  CHECK(loopsOf(R"(  in self   f16[20, 30]
  in target i64[20]
  out0 f16[], out1 f16[] = aten.nll_loss_forward.default(self=self, target=target, weight=None, reduction=1, ignore_index=-100)
  return out0, out1
)") == R"(  once reduce i0 in 20, i1 in 20
    let t0 = target[i0]
    let t1 = add[i1](where(target[i1] != -100, f32(1), f32(0)))
    out0[0] = f16(add[i0](where(t0 != -100, -f32(self[i0*30 + min(max(t0, 0), 29)]), f32(0))) / t1)
    out1[0] = f16(t1)
)");
}

TEST_CASE("accumulators: f32 for halves, i64 for integers and Bool; the result is rounded once") {
  CHECK(loopsOf("  in self f16[16]\n  out0 f16[] = aten.sum.default(self=self, dtype=None)\n  return out0\n") ==
        "  once reduce i0 in 16\n"
        "    out0[0] = f16(add[i0](f32(self[i0])))\n");
  CHECK(loopsOf("  in self b8[16]\n  out0 i64[] = aten.sum.default(self=self, dtype=None)\n  return out0\n") ==
        "  once reduce i0 in 16\n"
        "    out0[0] = add[i0](i64(self[i0]))\n");
  CHECK(loopsOf("  in self f64[16]\n  out0 f64[] = aten.sum.default(self=self, dtype=None)\n  return out0\n") ==
        "  once reduce i0 in 16\n"
        "    out0[0] = add[i0](self[i0])\n");
}

TEST_CASE("over no elements a result is what the operation starts from") {
  CHECK(loopsOf("  in self f32[0, 4]\n  out0 f32[4] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=False, dtype=None)\n"
                "  return out0\n") ==
        "  for i0 in 4\n"
        "    out0[i0] = f32(0)\n");
  CHECK(loopsOf("  in self b8[0]\n  out0 b8[] = aten.all.default(self=self)\n  return out0\n") ==
        "  once\n"
        "    out0[0] = true\n");
}

TEST_CASE("gradients of weight and bias that nobody asked for, as kernels for channels last have them") {
  const auto gradients = [](const std::string& outputs, const std::string& mask) {
    return refusalOf(
        "  in grad f32[2, 3, 4, 4] strides (48, 1, 12, 3)\n  in x f32[2, 3, 4, 4] strides (48, 1, 12, 3)\n"
        "  in w f32[3]\n  in mean f32[3]\n  in scale f32[3]\n  " +
        outputs +
        " = aten.native_batch_norm_backward.default(grad_out=grad, input=x, weight=w, running_mean=None, "
        "running_var=None, save_mean=mean, save_invstd=scale, train=True, eps=1e-05, output_mask=" +
        mask + ")\n  return out0\n");
  };
  const std::string image = "f32[2, 3, 4, 4] strides (48, 1, 12, 3)";
  CHECK(gradients("out0 " + image + ", out1 f32[3], out2 f32[3]", "[True, False, True]") == "not refused");
  CHECK(gradients("out0 f32[3], out1 f32[3]", "[False, False, True]") == "not refused");
  CHECK(gradients("out0 " + image, "[True, True, True]") == "not refused");
}

TEST_CASE("rows are sorted by comparisons, as long as these are few") {
  const auto sorted = [](const char* type, const char* places) {
    return refusalOf(fmt::format(
        "  in x {0}\n  y {0}, i {1} = aten.sort.default(self=x, dim=1, descending=False)\n  return y, i\n", type, places));
  };
  CHECK(sorted("f16[64, 100]", "i64[64, 100]") == "not refused");
  CHECK(sorted("f16[2048, 64]", "i64[2048, 64]") == "not refused");
  CHECK(sorted("f16[2048, 128]", "i64[2048, 128]") == "ATen sorts 128 elements sooner");
}

TEST_CASE("two loops of one call have two names") {
  const auto loops = lowering::lower(ir::parseGraph(R"(graph
  in self f32[8, 4]
  out0 f32[8] = aten.sum.dim_IntList(self=self, dim=[1], keepdim=False, dtype=None)
  out1 f32[4] = aten.sum.dim_IntList(self=self, dim=[0], keepdim=False, dtype=None)
  return out0, out1
)"));
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].name == "aten_sum_dim_IntList");
  CHECK(loops[1].name == "aten_sum_dim_IntList_2");
}

TEST_CASE("what is written in place is read where and when it is written") {
  CHECK(refusalOf(R"(  in self f32[8, 4]
  total f32[8, 1] = aten.sum.dim_IntList(self=self, dim=[1], keepdim=True, dtype=None)
  self = aten.sub_.Tensor(self=self, other=total, alpha=1) writes self
  return self
)") == "aten_sum_dim_IntList reads self at other elements than it writes");
}

}  // namespace
