// Pointwise operators against ATen, one line an operator and shape.
#include <ATen/Tensor.h>
#include <ATen/ops/arange.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>

#include "tests/opbench/run/operators.h"

namespace {

TEST_CASE_FIXTURE(tests::Operators, "arithmetic") {
  compare("aten.add.Tensor", "((T([3, 5, 7], f16), T([5, 1], f16)), {'alpha': 2})");
  compare("aten.add_.Tensor", "((T([3, 40], f16), T([3, 40], f16)), {})");
  compare("aten.add.Scalar", "((T([33], i64), 3), {})");
  compare("aten.sub.Tensor", "((T([8, 16], f32), T([8, 1], f16)), {})");
  compare("aten.rsub.Scalar", "((T([9, 5], f16), 1.0), {})");
  compare("aten.mul.Tensor", "((T([2, 8, 7, 7], f16), T([2, 8, 1, 1], f16)), {})");
  compare("aten.mul.Tensor", "((T([4, 6, 10], f16, stride=(60, 1, 6)), T([], f32)), {})");
  compare("aten.mul.Tensor", "((T([12], b8), T([12], b8)), {})");
  compare("aten.mul_.Tensor", "((T([17], f16), T([], f16)), {})");
  compare("aten.mul.Scalar", "((T([6, 6], f16), 0.125), {})");
  compare("aten.div.Tensor", "((T([24, 5], f16), T([], f16)), {})");
  compare("aten.div.Tensor", "((T([10], i64), T([10], i64)), {})");
  compare("aten.div.Scalar", "((T([4, 8, 3, 3], f16, stride=(8, 1, 0, 0)), 9), {})");
  compare("aten.div.Tensor_mode", "((T([40], f16), T([40], f16)), {'rounding_mode': 'floor'})");
  compare("aten.div.Tensor_mode", "((T([40], i64), T([40], i64)), {'rounding_mode': 'trunc'})");
  compare("aten.floor_divide.default", "((T([40], i64), 7), {})");
  compare("aten.floor_divide.default", "((T([40], f32), T([40], f32)), {})");
  compare("aten.remainder.Scalar", "((T([40], i64), -3), {})");
  compare("aten.remainder.Tensor", "((T([40], f32), T([40], f32)), {})");
  compare("aten.fmod.Scalar", "((T([40], f16), 1.5), {})");
  compare("aten.addcmul.default",
          "((T([1, 1, 12], f16), T([1, 1, 12], f16), T([5, 7, 12], f16, stride=(84, 1, 7))), {'value': 0.5})");
  compare("aten.addcdiv.default", "((T([12], f32), T([12], f32), T([12], f32)), {})");
  compare("aten.minimum.default", "((T([2, 1, 1, 9], f16), T([2, 3, 4, 9], f32)), {})");
  compare("aten.maximum.default", "((T([33], f16), T([], f32)), {})");
  compare("aten.clamp.default", "((T([50, 2], f16, stride=(4, 2)), 0, 800), {})");
  compare("aten.clamp.default", "((T([50], f16), None, 0.5), {})");
  compare("aten.clamp.default", "((T([50], f32), nan, None), {})");
  compare("aten.clamp.default", "((T([50], f32), None, nan), {})");
  compare("aten.clamp.default", "((T([50], f32), nan, 1), {})");
  compare("aten.clamp_min.default", "((T([50], i64), 1), {})");
  compare("aten.clamp_max.default", "((T([50], f16), 0.25), {})");
  compare("aten.pow.Scalar", "((10000, T([32], f32)), {})");
  compare("aten.pow.Tensor_Tensor", "((T([32], f32), T([32], f32)), {})");
  for (const char* exponent : {"0.5", "1", "2", "3", "-0.5", "-1", "-2", "2.5"}) {
    compare("aten.pow.Tensor_Scalar", fmt::format("((T([40], f16), {}), {{}})", exponent));
  }
}

TEST_CASE_FIXTURE(tests::Operators, "powers of integers wrap; of negative powers those of 1 and -1 are left") {
  const tests::Edit ends = [](const std::vector<at::Tensor>& tensors) {
    tensors[0].copy_(at::arange(tensors[0].numel(), at::kLong).remainder(7).sub(3));
    tensors[1].copy_(at::arange(-12, tensors[1].numel() - 12, at::kLong).mul(5));
  };
  for (const char* dtype : {"i64", "i32", "i8"})
    compare("aten.pow.Tensor_Tensor", fmt::format("((T([40], {0}), T([40], {0})), {{}})", dtype), ends);
  compare("aten.pow.Tensor_Scalar", "((T([40], i64), 5), {})");
  compare("aten.pow.Scalar", "((3, T([40], i64)), {})");
  compare("aten.pow_.Tensor", "((T([40], u8), T([40], u8)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "integers beyond 2^53, which double does not hold") {
  const tests::Edit around = [](const std::vector<at::Tensor>& tensors) {
    const int64_t first = (int64_t{1} << 53) - 20;
    tensors[0].copy_(at::arange(first, first + tensors[0].numel(), at::kLong));
  };
  for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge"})
    compare(fmt::format("aten.{}.Scalar", op), "((T([40], i64), 9007199254740993), {})", around);
  compare("aten.add.Tensor", "((T([40], i64), 9007199254740993), {})", around);
  compare("aten.add.Tensor", "((T([40], i64), T([40], i64)), {'alpha': 9007199254740993})");
  compare("aten.rsub.Scalar", "((T([40], i64), 5, 9007199254740993), {})");
  compare("aten.bitwise_and.Scalar", "((T([40], i64), 9223372036854775807), {})", around);
  compare("aten.fill_.Scalar", "((T([5, 7], i64), 9007199254740993), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "numbers that a half does not hold: they round to zero, to infinity, to a neighbour") {
  const tests::Edit near = [](const std::vector<at::Tensor>& tensors) {
    const std::vector<double> values{0.0,
                                     -0.0,
                                     0.3,
                                     0.2998046875,
                                     0.300048828125,
                                     0.30029296875,
                                     65504,
                                     65472,
                                     -65504,
                                     1,
                                     1.0009765625,
                                     0.1,
                                     5.9604644775390625e-08,
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN()};
    for (std::size_t i = 0; i < values.size(); ++i) tensors[0].select(0, static_cast<int64_t>(i)).fill_(values[i]);
  };
  // ATen refuses numbers beyond the largest half where it rounds them before it computes.
  for (const char* number : {"1e-12", "0.3", "65519.0", "1e6", "-1e6", "1.0005", "3e-8"})
    for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "div", "rsub"})
      compare(fmt::format("aten.{}.Scalar", op), fmt::format("((T([16], f16), {}), {{}})", number), near);
  for (const char* number : {"1e-12", "0.3", "65504.0", "1.0005", "3e-8"}) {
    for (const char* op : {"clamp_min", "clamp_max", "leaky_relu", "elu"})
      compare(fmt::format("aten.{}.default", op), fmt::format("((T([16], f16), {}), {{}})", number), near);
    compare("aten.clamp.default", fmt::format("((T([16], f16), -0.3, {}), {{}})", number), near);
    compare("aten.threshold.default", fmt::format("((T([16], f16), {}, 0.3), {{}})", number), near);
    compare("aten.masked_fill.Scalar", fmt::format("((T([16], f16), T([16], b8), {}), {{}})", number), near);
    compare("aten.hardtanh.default", fmt::format("((T([16], f16), -0.3, {}), {{}})", number), near);
  }
  for (const char* number : {"1e-12", "0.3", "3e-8"})
    compare("aten.pow.Tensor_Scalar", fmt::format("((T([16], f16), {}), {{}})", number), near);
}

TEST_CASE_FIXTURE(tests::Operators, "numbers that the call itself gives") {
  compare("aten.add.Tensor", "((T([4], f16, values=[0.1, -0.0, inf, nan]), T([4], f16, values=[0.2, 0.0, -inf, 1])), {})");
  compare("aten.mul.Tensor", "((T([5, 3], f16), T([], f16, values=[-0.0])), {})");
  compare("aten.relu.default", "((T([6], f16, values=[nan, -inf, inf, -0.0, 0.0, -1e-7]),), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "elementary functions") {
  for (const char* op :
       {"neg",   "abs", "sgn",   "sign", "square", "positive", "reciprocal", "floor", "ceil", "trunc", "round",  "sqrt",
        "rsqrt", "exp", "expm1", "log",  "log2",   "log1p",    "sin",        "cos",   "erf",  "tanh",  "sigmoid"}) {
    compare(fmt::format("aten.{}.default", op), "((T([7, 19], f16),), {})");
  }
  compare("aten.neg.default", "((T([3, 4], i32),), {})");
  compare("aten.sqrt.default", "((T([12], i64),), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "comparisons, logic and bits") {
  for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    compare(fmt::format("aten.{}.Tensor", op), "((T([6, 1, 9], f16), T([5, 9], f16)), {})");
    compare(fmt::format("aten.{}.Scalar", op), "((T([6, 9], i64), 1), {})");
  }
  compare("aten.gt.Tensor", "((T([50, 4], f32), T([4], f16)), {})");
  compare("aten.eq.Scalar", "((T([2, 5, 3, 7], f16, stride=(0, 7, 0, 1)), 1), {})");
  compare("aten.isnan.default", "((T([40], f16),), {})");
  compare("aten.isinf.default", "((T([40], f16),), {})");
  compare("aten.isinf.default", "((T([40], i64),), {})");
  for (const char* op : {"logical_and", "logical_or", "logical_xor"}) {
    compare(fmt::format("aten.{}.default", op), "((T([40], b8), T([40], f16)), {})");
  }
  compare("aten.logical_and_.default", "((T([40], b8), T([40], b8)), {})");
  compare("aten.logical_not.default", "((T([40], f16),), {})");
  for (const char* op : {"bitwise_and", "bitwise_or", "bitwise_xor"}) {
    compare(fmt::format("aten.{}.Tensor", op), "((T([6, 1, 5], b8, stride=(1, 30, 6)), T([1, 5, 5], b8)), {})");
    compare(fmt::format("aten.{}.Tensor", op), "((T([40], i64), T([40], i64)), {})");
  }
  compare("aten.bitwise_not.default", "((T([40], b8),), {})");
  compare("aten.bitwise_not.default", "((T([40], i32),), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "activations and their gradients") {
  for (const char* op : {"relu", "relu6", "silu", "hardswish", "hardsigmoid", "hardtanh", "leaky_relu", "elu"}) {
    compare(fmt::format("aten.{}.default", op), "((T([5, 41], f16),), {})");
  }
  for (const char* op : {"relu_", "silu_", "hardswish_", "hardtanh_", "leaky_relu_", "sigmoid_"}) {
    compare(fmt::format("aten.{}.default", op), "((T([5, 41], f16),), {})");
  }
  for (const char* approximate : {"none", "tanh"}) {
    compare("aten.gelu.default", fmt::format("((T([5, 41], f16),), {{'approximate': '{}'}})", approximate));
    compare("aten.gelu_backward.default",
            fmt::format("((T([5, 41], f16), T([5, 41], f16)), {{'approximate': '{}'}})", approximate));
  }
  for (const char* op : {"silu_backward", "sigmoid_backward", "tanh_backward", "hardswish_backward", "hardsigmoid_backward"}) {
    compare(fmt::format("aten.{}.default", op), "((T([5, 41], f16), T([5, 41], f16)), {})");
  }
  compare("aten.threshold.default", "((T([5, 41], f16), 0.5, 2.0), {})");
  compare("aten.threshold_backward.default", "((T([5, 41], f16), T([5, 41], f16), 0), {})");
  compare("aten.hardtanh_backward.default", "((T([5, 41], f16), T([5, 41], f16), 0.0, 6.0), {})");
  compare("aten.leaky_relu_backward.default", "((T([5, 41], f16), T([5, 41], f16), 0.2, False), {})");
  compare("aten.elu_backward.default", "((T([5, 41], f16), 1.67, 1.05, 1, False, T([5, 41], f16)), {})");
  compare("aten.elu_backward.default", "((T([5, 41], f16, stride=(0, 0)), 1.67, 1.05, 1, True, T([5, 41], f16)), {})");
  compare("aten.mse_loss_backward.default", "((T([], f16), T([3, 40], f16), T([3, 40], f16), 1), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "padding with a constant, and cutting off") {
  const auto pad = [this](const char* tensor, const char* rest) {
    compare("aten.constant_pad_nd.default", fmt::format("(({}, {}), {{}})", tensor, rest));
  };
  pad("T([2, 3, 7, 8], f16)", "[1, 1, 2, 0], 0.5");
  pad("T([5, 40], f16)", "[0, 0, 1, 2], 0.0");
  pad("T([5, 40], f16)", "[-3, -1, -1, 1], 1.0");
  pad("T([5, 40], f32)", "[8, 16], 2");
  pad("T([4, 6, 10], f16, stride=(60, 1, 6))", "[2, -1, 0, 3], 0.25");
  pad("T([5, 1], f16, stride=(1, 0))", "[30, 1]");
  pad("T([33], i64)", "[2, 3], -7");
  pad("T([33], b8)", "[2, 3], 1");
  pad("T([3, 0], f16)", "[1, 2], 3.0");
  pad("T([3, 5], f16)", "[0, 0]");
}

TEST_CASE_FIXTURE(tests::Operators, "values added where an index says") {
  compare("aten.scatter_add.default", "((T([7, 9], f16), 0, T([5, 9], i64), T([5, 9], f16)), {})");
  compare("aten.scatter_add.default", "((T([7, 9], f32), 1, T([6, 20], i64), T([7, 20], f32)), {})");
  compare("aten.scatter_add.default", "((T([40], i64), 0, T([400], i64), T([400], i64)), {})");
  compare("aten.scatter_add.default", "((T([], f16), 0, T([], i64), T([], f16)), {})");
  compare("aten.scatter_add.default", "((T([7, 9], f16), 0, T([0, 9], i64), T([5, 9], f16)), {})");
  compare("aten.scatter_add_.default", "((T([7, 40], f16), -1, T([7, 50], i64), T([7, 50], f16)), {})");
  compare("aten.index_add.default", "((T([20, 33], f16), 0, T([11], i64), T([11, 33], f16)), {})");
  compare("aten.index_add.default", "((T([99, 33], f16), 0, T([11], i64), T([11, 33], f16)), {})");
  compare("aten.index_add.default", "((T([5, 20, 3], f32), 1, T([11], i32), T([5, 11, 3], f32)), {'alpha': 3})");
  compare("aten.index_add.default", "((T([20], i32), 0, T([64], i64), T([64], i32)), {})");
  compare("aten.index_add_.default", "((T([20, 33], f16), 0, T([11], i64), T([11, 33], f16, stride=(0, 0))), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "selection, filling and conversion") {
  compare("aten.where.self", "((T([1, 1, 9, 9], b8), T([2, 3, 9, 9], f16), T([], f16)), {})");
  compare("aten.masked_fill.Scalar", "((T([2, 3, 9], f16), T([2, 1, 9], b8), -65504.0), {})");
  compare("aten.masked_fill.Tensor", "((T([2, 3, 9], f16), T([2, 1, 9], b8), T([], f32)), {})");
  compare("aten.masked_fill_.Scalar", "((T([2, 5, 3, 7], f16, stride=(210, 14, 70, 1)), T([2, 5, 3, 7], b8), -inf), {})");
  compare("aten.fill_.Scalar", "((T([5, 7], f16), 3), {})");
  compare("aten.fill_.Tensor", "((T([5, 7], f16), T([], f16)), {})");
  for (const char* dtype : {"f32", "f16", "bf16", "f64", "i64", "i32", "u8", "b8", "c32"}) {
    compare("aten._to_copy.default", fmt::format("((T([3, 37], f16),), {{'dtype': {}}})", dtype));
  }
  compare("aten._to_copy.default", "((T([3, 37], i64),), {'dtype': f16})");
  compare("aten.tril.default", "((T([11, 11], f16), -1), {})");
  compare("aten.triu.default", "((T([2, 5, 11], f16), 1), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "activations that cut or scale a range of numbers") {
  compare("aten.celu.default", "((T([37], f16), 1.5), {})");
  for (const char* op : {"softshrink", "hardshrink"}) {
    compare(fmt::format("aten.{}.default", op), "((T([37], f16), 0.4), {})");
    compare(fmt::format("aten.{}_backward.default", op), "((T([37], f16), T([37], f16), 0.4), {})");
  }
  compare("aten._prelu_kernel.default", "((T([3, 5, 7], f16), T([1, 5, 1], f16)), {})");
  compare("aten._prelu_kernel_backward.default", "((T([3, 5, 7], f16), T([3, 5, 7], f16), T([1, 5, 1], f16)), {})");
  compare("aten.rrelu_with_noise.default", "((T([37], f16), T([37], f16), 0.1, 0.3), {})");
  compare("aten.rrelu_with_noise_backward.default", "((T([37], f16), T([37], f16), T([37], f16), 0.1, 0.3, False, False), {})");
  compare("aten.rrelu_with_noise_backward.default", "((T([37], f16), T([37], f16), T([37], f16), 0.1, 0.3, True, False), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "activations of exponentials") {
  compare("aten.softplus.default", "((T([37], f16), 2, 3), {})");
  compare("aten.softplus_backward.default", "((T([37], f16), T([37], f16), 2, 3), {})");
  compare("aten.mish.default", "((T([37], f16),), {})");
  compare("aten.mish_backward.default", "((T([37], f16), T([37], f16)), {})");
  compare("aten.glu.default", "((T([3, 8, 5], f16), 1), {})");
  compare("aten.glu_backward.default", "((T([3, 4, 5], f16), T([3, 8, 5], f16), 1), {})");
  compare("aten.log_sigmoid_forward.default", "((T([37], f16),), {})");
  const tests::Edit ofForward = [](const std::vector<at::Tensor>& tensors) { tensors[2].copy_(tensors[1].abs().neg().exp()); };
  compare("aten.log_sigmoid_backward.default", "((T([37], f32), T([37], f32), T([37], f32)), {})", ofForward);
}

TEST_CASE_FIXTURE(tests::Operators, "products of vectors, element by element") {
  compare("aten.addr.default", "((T([5, 7], f16), T([5], f16), T([7], f16)), {'beta': 0.5, 'alpha': 2})");
  compare("aten.addr.default", "((T([5, 7], f32), T([5], f32), T([7], f32)), {'beta': 0})");
  compare("aten.linalg_cross.default", "((T([4, 3, 5], f32), T([4, 3, 1], f32)), {'dim': 1})");
  compare("aten._trilinear.default", "((T([3, 4], f32), T([5, 4, 2], f32), T([3, 2], f32), [1, 3], [0], [1, 2], [2, 3]), {})");
}

}  // namespace
