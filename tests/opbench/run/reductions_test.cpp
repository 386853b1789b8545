// Reductions and normalisations against ATen, one line an operator and shape.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <map>
#include <string>

#include "tests/opbench/program_bed.h"
#include "tests/opbench/run/operators.h"

namespace {

/// Every row a different hard one: with NaN, with infinities, nothing but -inf, equal values.
void hardRows(const std::vector<at::Tensor>& tensors) {
  const at::Tensor& x = tensors.at(0);
  const double infinity = std::numeric_limits<double>::infinity();
  x.select(0, 0).select(0, 1).fill_(std::numeric_limits<double>::quiet_NaN());
  x.select(0, 1).select(0, 2).fill_(infinity);
  x.select(0, 2).select(0, 0).fill_(-infinity);
  x.select(0, 3).fill_(-infinity);
  x.select(0, 4).fill_(2.5);
  x.select(0, 5).select(0, 3).fill_(infinity);
  x.select(0, 5).select(0, 1).fill_(-infinity);
}

/// Mean 1000, standard deviation 1: of squares, f32 would keep nothing.
void farFromZero(const std::vector<at::Tensor>& tensors) { tensors.at(0).normal_(1000, 1); }

TEST_CASE_FIXTURE(tests::Operators, "reductions") {
  for (const char* shape : {"T([], f16)", "T([1], f16)", "T([37], f16)", "T([3, 5, 7], f16)", "T([33, 65], f16, stride=(1, 33))",
                            "T([2, 3, 5, 7], f16, stride=(105, 1, 21, 3))", "T([5000], f16)", "T([0, 4], f16)", "T([40], i64)",
                            "T([40], b8)", "T([7, 9], i32)", "T([6, 4], f16, stride=(0, 1))"}) {
    compare("aten.sum.default", fmt::format("(({},), {{}})", shape));
  }
  for (const char* dims : {"[0]", "[1]", "[2]", "[-1]", "[0, 1]", "[0, 2]", "[1, 2]", "[0, 1, 2]", "None", "[]"}) {
    compare("aten.sum.dim_IntList", fmt::format("((T([5, 6, 19], f16), {}), {{}})", dims));
    compare("aten.sum.dim_IntList", fmt::format("((T([5, 6, 19], f16), {}, True), {{}})", dims));
  }
  compare("aten.sum.dim_IntList", "((T([300, 7], f16), [0], True), {})");
  compare("aten.sum.dim_IntList", "((T([300, 64], f16), [0], True), {})");
  compare("aten.sum.dim_IntList",
          "((T([5000, 9], f16), [0], True), {})");  // in blocks of the CPU, whose sums do not grow inexact
  compare("aten.sum.dim_IntList", "((T([64, 31], f16, stride=(1, 64)), [0], True), {})");
  compare("aten.sum.dim_IntList", "((T([4, 10, 3, 3], f16), [0, 2, 3], True), {})");
  compare("aten.sum.dim_IntList", "((T([2, 88, 5, 5, 3], f16), [-1]), {})");
  for (const char* strides : {"(0, 0, 0)", "(0, 7, 1)", "(7, 0, 1)"}) {  // elements that memory repeats
    compare("aten.sum.dim_IntList", fmt::format("((T([3, 5, 7], f16, stride={}), [0, 1], True), {{}})", strides));
    compare("aten.sum.dim_IntList", fmt::format("((T([3, 5, 7], i64, stride={}), [0, 1]), {{}})", strides));
    compare("aten.mean.default", fmt::format("((T([3, 5, 7], f16, stride={}),), {{}})", strides));
  }
  compare("aten.sum.dim_IntList", "((T([0, 91], f16), [0], True), {})");
  compare("aten.sum.dim_IntList", "((T([4, 0], f16), [0]), {})");
  compare("aten.sum.dim_IntList", "((T([3, 128], b8), [-1]), {})");
  compare("aten.sum.dim_IntList", "((T([3, 128], f16), [-1]), {'dtype': f32})");
  compare("aten.mean.default", "((T([3, 2, 17, 11], f16),), {})");
  compare("aten.mean.dim", "((T([2, 24, 7, 7], f16), [2, 3], True), {})");
  compare("aten.mean.dim", "((T([2, 24, 7, 7], f16, stride=(1176, 1, 168, 24)), [-1, -2], True), {})");
  compare("aten.mean.dim", "((T([4, 49, 64], f16), [1]), {})");
  compare("aten.mean.dim", "((T([3, 0], f16), [1]), {})");
  compare("aten.mean.dim", "((T([5, 100], f16), [-1], True), {'dtype': f32})");
  compare("aten.prod.default", "((T([3, 5], f16),), {})");
  compare("aten.prod.default", "((T([9], i64),), {})");
  compare("aten.prod.dim_int", "((T([9, 4], f16), 0, True), {})");
  compare("aten._safe_softmax.default", "((T([7, 40], f32), -1), {})", hardRows);
  compare("aten._safe_softmax.default", "((T([2, 3, 40], f16), 2), {})");
  compare("aten._safe_softmax.default", "((T([7, 40], f16), 1, f32), {})", hardRows);
  compare("aten.logsumexp.default", "((T([9, 40], f16), [1]), {})");
  compare("aten.logsumexp.default", "((T([7, 40], f16), [1], True), {})", hardRows);
}

TEST_CASE_FIXTURE(tests::Operators, "extremes, and where they are") {
  for (const char* op : {"max", "min"}) {
    compare(fmt::format("aten.{}.default", op), "((T([50, 4], f16),), {})");
    compare(fmt::format("aten.{}.default", op), "((T([2], i64),), {})");
    compare(fmt::format("aten.{}.default", op), "((T([12], b8),), {})");
    compare(fmt::format("aten.{}.dim", op), "((T([4, 19, 30], f16), 1), {})");
    compare(fmt::format("aten.{}.dim", op), "((T([4, 300], f16), -1, True), {})");
    compare(fmt::format("aten.{}.dim", op), "((T([4, 30], i64), 1), {})");
    compare(fmt::format("aten.{}.dim", op), "((T([6, 40], f16), 1), {})", hardRows);
    compare(fmt::format("aten.a{}.default", op), "((T([4, 19, 30], f16), [0, 2]), {})");
    compare(fmt::format("aten.a{}.default", op), "((T([4, 19], b8), [1], True), {})");
    compare(fmt::format("aten.a{}.default", op), "((T([6, 40], f16), [1]), {})", hardRows);
    compare(fmt::format("aten.arg{}.default", op), "((T([40, 3], f16),), {})");
    compare(fmt::format("aten.arg{}.default", op), "((T([40, 3], f16), 0, True), {})");
    compare(fmt::format("aten.arg{}.default", op), "((T([6, 40], f16), -1), {})", hardRows);
  }
  for (const char* op : {"any", "all"}) {
    compare(fmt::format("aten.{}.default", op), "((T([3, 40, 5], b8),), {})");
    compare(fmt::format("aten.{}.default", op), "((T([0], b8),), {})");
    compare(fmt::format("aten.{}.default", op), "((T([12], u8),), {})");
    compare(fmt::format("aten.{}.dim", op), "((T([3, 40], f16), 1), {})");
    compare(fmt::format("aten.{}.dims", op), "((T([3, 4, 5], i64), [0, 2], True), {})");
  }
}

/// In the first dim: NaN, infinities of both signs, and nothing but -inf.
void hardColumns(const std::vector<at::Tensor>& tensors) {
  const at::Tensor& x = tensors.at(0);
  const double infinity = std::numeric_limits<double>::infinity();
  x.select(1, 0).select(0, 3).fill_(std::numeric_limits<double>::quiet_NaN());
  x.select(1, 1).select(0, 2).fill_(infinity);
  x.select(1, 2).slice(0, 0, 4).fill_(-infinity);
  x.select(1, 3).fill_(-infinity);
  x.select(1, 4).select(0, 1).fill_(infinity);
  x.select(1, 4).select(0, 3).fill_(-infinity);
}

TEST_CASE_FIXTURE(tests::Operators, "cumulative sums, products and logarithms of sums") {
  for (const char* op : {"cumsum", "cumprod", "logcumsumexp"}) {
    for (const char* call : {"T([], f16), 0", "T([], f16), -1", "T([1], f16), 0", "T([37], f16), -1", "T([3, 5, 7], f16), 1",
                             "T([33, 65], f16, stride=(1, 33)), 1", "T([2, 3, 5, 7], f16, stride=(105, 1, 21, 3)), 3",
                             "T([40, 70], f16), 0", "T([4, 0], f16), 0", "T([0, 4], f16), 0", "T([6, 4], f16, stride=(0, 1)), 0",
                             "T([5, 19], f32), 1", "T([9, 1], f16), 1"}) {
      compare(fmt::format("aten.{}.default", op), fmt::format("(({}), {{}})", call));
    }
    compare(fmt::format("aten.{}.default", op), "((T([7, 6], f16), 0), {})", hardColumns);
    compare(fmt::format("aten.{}.default", op), "((T([6, 40], f16), 1), {})", hardRows);
  }
  for (const char* op : {"cumsum", "cumprod"}) {
    for (const char* call : {"T([40], i64), 0", "T([7, 9], i32), 1", "T([7, 9], b8), 0", "T([30], u8), 0"})
      compare(fmt::format("aten.{}.default", op), fmt::format("(({}), {{}})", call));
    compare(fmt::format("aten.{}.default", op), "((T([7, 9], i32), 1), {'dtype': f32})");
    compare(fmt::format("aten.{}.default", op), "((T([7, 9], f16), 1), {'dtype': f64})");
    compare(fmt::format("aten.{}_.default", op), "((T([7, 9], f16), 1), {})");
    compare(fmt::format("aten.{}_.default", op), "((T([40], i32), 0), {})");
  }
  compare("aten.cumsum.default", "((T([3, 20000], f16), 1), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "variances and norms") {
  for (const char* op : {"var", "std", "var_mean", "std_mean"}) {
    compare(fmt::format("aten.{}.correction", op), "((T([3, 8, 96], f16), [-1]), {'correction': 1, 'keepdim': True})");
    compare(fmt::format("aten.{}.correction", op), "((T([30, 8], f16), [0]), {'correction': 0})");
    compare(fmt::format("aten.{}.correction", op), "((T([20, 60], f16, stride=(1, 20)), [1]), {})", farFromZero);
    compare(fmt::format("aten.{}.correction", op), "((T([20, 60], f16), [0]), {})", farFromZero);
    compare(fmt::format("aten.{}.correction", op), "((T([5, 1], f16), [1]), {})");
    compare(fmt::format("aten.{}.default", op), "((T([20, 15], f16), False), {})", farFromZero);
    compare(fmt::format("aten.{}.dim", op), "((T([20, 15], f16), [1], True, True), {})");
  }
  for (const char* order : {"2", "1", "0", "3", "0.5", "inf", "-inf"}) {
    compare("aten.linalg_vector_norm.default", fmt::format("((T([6, 41], f16), {}, [1], True), {{}})", order));
    compare("aten.norm.ScalarOpt_dim", fmt::format("((T([6, 41], f16), {}, [0]), {{}})", order));
  }
  compare("aten.linalg_vector_norm.default", "((T([6, 41], f16),), {})");
  compare("aten.norm.Scalar", "((T([6, 41], f16),), {})");
  compare("aten.norm.ScalarOpt_dim_dtype", "((T([6, 41], f16), 2, [1], True), {'dtype': f32})");
}

TEST_CASE_FIXTURE(tests::Operators, "numbers whose squares and products are none of f32") {
  for (const double scale : {1e30, 1e-30, 1e19, 1e-22}) {
    const tests::Edit scaled = [scale](const std::vector<at::Tensor>& tensors) { tensors[0].mul_(scale); };
    for (const char* dims : {"[1]", "[0]", "None"}) {
      compareOnCpu("aten.std.correction", fmt::format("((T([6, 40], f32), {}), {{}})", dims), scaled);
      compareOnCpu("aten.var_mean.correction", fmt::format("((T([6, 40], f32), {}), {{}})", dims), scaled);
    }
  }
  compareOnCpu("aten.cumprod.default", "((T([6, 40], f32), 1), {})", [](const std::vector<at::Tensor>& tensors) {
    tensors[0].mul_(1e13);
    tensors[0].select(1, 7).zero_();
  });
}

TEST_CASE_FIXTURE(tests::Operators, "softmax") {
  for (const char* op : {"_softmax", "_log_softmax"}) {
    const std::string forward = fmt::format("aten.{}.default", op), backward = fmt::format("aten.{}_backward_data.default", op);
    for (const char* call : {"T([33], f16), 0", "T([], f16), 0", "T([5, 100], f16), -1", "T([2, 3, 7, 129], f16), -1",
                             "T([40, 6], f16), 0", "T([2, 9, 5, 4], f16), 1", "T([3, 1], f16), 1", "T([0, 91], f16), -1",
                             "T([1, 16, 4, 51], f16, stride=(3264, 51, 816, 1)), -1", "T([40, 24], f16, stride=(1, 40)), 1"}) {
      compare(forward, fmt::format("(({}, False), {{}})", call));
    }
    compare(forward, "((T([6, 40], f16), 1, False), {})", hardRows);
    compare(forward, "((T([8, 70], f16), 1, False), {})", farFromZero);
    compare(backward, "((T([5, 100], f16), T([5, 100], f16), -1, f16), {})");
    compare(backward, "((T([2, 9, 5, 4], f16), T([2, 9, 5, 4], f16), 1, f16), {})");
    compare(backward, "((T([7, 31], f16, stride=(1, 7)), T([7, 31], f16), 1, f16), {})");
    compare(backward, "((T([0, 91], f16), T([0, 91], f16), -1, f16), {})");
    compare(backward, "((T([2, 3, 50, 64], f16, stride=(9600, 3200, 1, 50)), T([2, 3, 50, 64], f16), 2, f16), {})");
    compare(backward, "((T([3, 515], f16), T([3, 515], f16), 1, f16), {})");
  }
}

TEST_CASE_FIXTURE(tests::Operators, "losses") {
  for (int reduction : {0, 1, 2}) {
    compare("aten.mse_loss.default", fmt::format("((T([3, 40, 5], f16), T([3, 40, 5], f16), {}), {{}})", reduction));
    for (const char* weight : {"None", "T([30], f16)"}) {
      compare("aten.nll_loss_forward.default",
              fmt::format("((T([20, 30], f16), T([20], i64), {}, {}, -100), {{}})", weight, reduction));
      compare("aten.nll_loss_forward.default",
              fmt::format("((T([30], f16), T([], i64), {}, {}, -100), {{}})", weight, reduction));
      const char* grad = reduction == 0 ? "T([20], f16)" : "T([], f16)";
      compare("aten.nll_loss_backward.default",
              fmt::format("(({}, T([20, 515], f16), T([20], i64), {}, {}, -100, T([], f16)), {{}})", grad, "None", reduction));
      compare("aten.nll_loss_backward.default",
              fmt::format("(({}, T([20, 30], f16), T([20], i64), {}, {}, -100, T([], f16)), {{}})", grad, weight, reduction));
    }
  }
  const auto outOfRange = [](const std::vector<at::Tensor>& tensors) { tensors.at(1).slice(0, 0, 5).fill_(30); };
  compare("aten.nll_loss_forward.default", "((T([20, 30], f16), T([20], i64), None, 1, 30), {})", outOfRange);
}

/// A channels-last stride and none.
constexpr const char* layouts[] = {"", ", stride=(150, 1, 30, 6)"};

TEST_CASE_FIXTURE(tests::Operators, "normalisation of rows") {
  const std::string forward = "aten.native_layer_norm.default", backward = "aten.native_layer_norm_backward.default";
  compare(forward, "((T([3, 8, 96], f16), [96], T([96], f16), T([96], f16), 1e-05), {})");
  compare(forward, "((T([1, 7, 33], f16), [33], None, None, 1e-12), {})");
  compare(forward, "((T([4, 3, 5], f16), [3, 5], T([3, 5], f16), T([3, 5], f16), 1e-05), {})");
  compare(forward, "((T([2, 9, 40], f16, stride=(360, 1, 9)), [40], T([40], f16), T([40], f16), 1e-06), {})");
  compare(forward, "((T([12, 80], f16), [80], T([80], f16), T([80], f16), 1e-05), {})", farFromZero);
  compare(backward,
          "((T([3, 8, 96], f16), T([3, 8, 96], f16), [96], T([3, 8, 1], f16), T([3, 8, 1], f16), T([96], f16), "
          "T([96], f16), [True, True, True]), {})");
  compare(backward,
          "((T([3, 8, 33], f16), T([3, 8, 33], f16, stride=(264, 1, 8)), [33], T([3, 8, 1], f16), T([3, 8, 1], f16), "
          "T([33], f16), T([33], f16), [True, True, True]), {})");
  for (const char* mask : {"[True, False, False]", "[False, True, False]", "[False, False, True]", "[True, False, True]"}) {
    compare(backward, fmt::format("((T([6, 17], f16), T([6, 17], f16), [17], T([6, 1], f16), T([6, 1], f16), T([17], f16), "
                                  "T([17], f16), {}), {{}})",
                                  mask));
  }
}

TEST_CASE_FIXTURE(tests::Operators, "normalisation of rows by their mean squares") {
  const std::string forward = "aten._fused_rms_norm.default", backward = "aten._fused_rms_norm_backward.default";
  compare(forward, "((T([3, 8, 96], f16), [96], T([96], f16), 1e-06), {})");
  compare(forward, "((T([1, 7, 33], f16), [33], None, None), {})");
  compare(forward, "((T([4, 3, 5], f16), [3, 5], T([3, 5], f16), 1e-05), {})");
  compare(forward, "((T([2, 9, 40], f16, stride=(360, 1, 9)), [40], T([40], f16), 1e-06), {})");
  compare(forward, "((T([12, 80], f16), [80], T([80], f16), None), {})", farFromZero);
  compare("aten.rms_norm.default", "((T([3, 8, 96], f16), [96], T([96], f16)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "normalisation of groups") {
  for (int groups : {1, 2, 6}) {
    for (const char* layout : layouts) {
      compare("aten.native_group_norm.default",
              fmt::format("((T([4, 6, 5, 5], f16{}), T([6], f16), T([6], f16), 4, 6, 25, {}, 1e-05), {{}})", layout, groups));
    }
    compare(
        "aten.native_group_norm_backward.default",
        fmt::format("((T([4, 6, 5, 5], f16), T([4, 6, 5, 5], f16), T([4, {0}], f16), T([4, {0}], f16), T([6], f16), 4, 6, 25, "
                    "{0}, [True, True, True]), {{}})",
                    groups));
  }
  compare("aten.native_group_norm.default", "((T([4, 6, 5, 5], f16), None, None, 4, 6, 25, 1, 1e-05), {})", farFromZero);
  compare("aten.native_group_norm_backward.default",
          "((T([4, 6, 5], f16), T([4, 6, 5], f16), T([4, 1], f16), T([4, 1], f16), None, 4, 6, 5, 1, [True, False, False]), {})");
}

TEST_CASE("gradients of few elements a channel are as exact as ATen's on a CPU, which adds in double, whatever data are drawn") {
  const tests::ProgramBed bed(1);
  const std::string channel = "T([2], f32)";
  std::ofstream(bed.folder.path / "samples.txt")
      << "Operator: aten.batch_norm_backward.default\ncnt: 1, ((T([3, 2, 3], f32), T([3, 2, 3], f32), " + channel + ", " +
             channel + ", " + channel + ", " + channel + ", " + channel + ", True, 1e-05, [True, True, True], T([0], u8)), {})\n";
  CHECK(bed.run({"--no-timing", "--dtype", "float32"}) == 0);
  CHECK(bed.statuses() == std::map<int, std::string>{{1, "ok"}});
}

TEST_CASE_FIXTURE(tests::Operators, "normalisation of channels") {
  const std::string forward = "aten.native_batch_norm.default", backward = "aten.native_batch_norm_backward.default";
  for (const char* training : {"True", "False"}) {
    for (const char* layout : layouts) {
      compare(forward,
              fmt::format("((T([4, 6, 5, 5], f16{}), T([6], f16), T([6], f16), T([6], f16), T([6], f16), {}, 0.1, 1e-05), {{}})",
                          layout, training));
      compare(backward, fmt::format("((T([4, 6, 5, 5], f16{0}), T([4, 6, 5, 5], f16{0}), T([6], f16), T([6], f16), T([6], f16), "
                                    "T([6], f16), T([6], f16), {1}, 1e-05, [True, True, True]), {{}})",
                                    layout, training));
    }
    for (const char* mask : {"[True, False, False]", "[False, True, True]", "[False, False, True]"}) {
      compare(backward, fmt::format("((T([7, 9], f16), T([7, 9], f16), T([9], f16), T([9], f16), T([9], f16), T([9], f16), "
                                    "T([9], f16), {}, 1e-05, {}), {{}})",
                                    training, mask));
    }
  }
  compare(forward, "((T([33, 17], f16), T([17], f16), T([17], f16), T([17], f16), T([17], f16), True, 0.1, 1e-05), {})");
  compare(forward, "((T([4, 6, 25], f16), T([6], f32), T([6], f32), T([6], f32), T([6], f32), True, 0.1, 1e-05), {})");
  compare(
      backward,
      "((T([4, 6, 25], f16), T([4, 6, 25], f16), T([6], f32), T([6], f32), T([6], f32), T([6], f32), T([6], f32), True, 1e-05, "
      "[True, True, True]), {})");
  compare(forward, "((T([1, 12, 40], f16), T([12], f16), None, None, None, True, 0.0, 1e-05), {})");
  compare(forward, "((T([3, 3, 3, 3], f16), None, None, None, None, True, 0.1, 1e-05), {})");
  compare(forward, "((T([8, 5, 6], f16), None, None, T([5], f16), T([5], f16), True, 0.1, 1e-05), {})", farFromZero);
  compare(backward,
          "((T([3, 3, 3], f16), T([3, 3, 3], f16), None, None, None, T([3], f16), T([3], f16), True, 1e-05, "
          "[True, False, False]), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "losses of single elements") {
  for (const char* reduction : {"0", "1", "2"}) {
    const auto call = [&](const char* before, const char* after) {
      return fmt::format("(({}{}{}), {{}})", before, reduction, after);
    };
    const char* grad = std::string_view(reduction) == "0" ? "T([5, 9], f16), " : "T([], f16), ";
    const std::string both = "T([5, 9], f16), T([5, 9], f16), ", backward = grad + both;
    compare("aten.huber_loss.default", call(both.c_str(), ", 0.7"));
    compare("aten.huber_loss_backward.default", call(backward.c_str(), ", 0.7"));
    compare("aten.smooth_l1_loss.default", call(both.c_str(), ", 0.7"));
    compare("aten.smooth_l1_loss_backward.default", call(backward.c_str(), ", 0.7"));
    compare("aten.soft_margin_loss.default", call(both.c_str(), ""));
    compare("aten.soft_margin_loss_backward.default", call(backward.c_str(), ""));
    compare("aten.binary_cross_entropy.default", call((both + "T([9], f16), ").c_str(), ""));
    compare("aten.binary_cross_entropy_backward.default", call((backward + "T([9], f16), ").c_str(), ""));
    compare("aten.binary_cross_entropy_with_logits.default", call((both + "T([9], f16), T([9], f16), ").c_str(), ""));
  }
  compare("aten.binary_cross_entropy_with_logits.default", "((T([5, 9], f16), T([5, 9], f16)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "losses of margins") {
  for (const char* reduction : {"0", "1"}) {
    const char* grad = std::string_view(reduction) == "0" ? "T([5], f32), " : "T([], f32), ";
    const std::string one = fmt::format("T([5, 9], f32), T([5], i64), 2, 0.8, T([9], f32), {}", reduction);
    const std::string several = fmt::format("T([5, 9], f32), T([5, 9], i64), {}", reduction);
    compare("aten.multi_margin_loss.default", "((" + one + "), {})");
    compare("aten.multi_margin_loss_backward.default", "((" + (grad + one) + "), {})");
    compare("aten.multilabel_margin_loss_forward.default", "((" + several + "), {})");
    compare("aten.multilabel_margin_loss_backward.default", "((" + (grad + several) + ", T([5, 9], f32)), {})");
  }
  compare("aten.multi_margin_loss.default", "((T([9], f32), T([], i64)), {})");
  compare("aten.nll_loss2d_forward.default", "((T([2, 5, 3, 4], f16), T([2, 3, 4], i64), T([5], f16), 1, -100), {})");
  compare("aten.nll_loss2d_forward.default", "((T([2, 5, 3, 4], f16), T([2, 3, 4], i64), None, 0, 2), {})");
  compare("aten.nll_loss2d_backward.default",
          "((T([], f16), T([2, 5, 3, 4], f16), T([2, 3, 4], i64), T([5], f16), 1, -100, T([], f16)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "both extremes, what is not 0, what is a number, a diagonal") {
  compare("aten.aminmax.default", "((T([5, 9], f16),), {'dim': 1, 'keepdim': True})");
  compare("aten.aminmax.default", "((T([5, 9], f16),), {})");
  compare("aten.count_nonzero.default", "((T([5, 9], b8),), {})");
  compare("aten.count_nonzero.dim_IntList", "((T([5, 9, 3], f16), [0, 2]), {})");
  compare("aten.nansum.default", "((T([5, 9], f16), [1], True), {})");
  compare("aten.trace.default", "((T([5, 9], f32),), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "distances") {
  for (const char* p : {"0.0", "1.0", "1.5", "2.0", "3.0", "inf"}) {
    compare("aten.dist.default", fmt::format("((T([5, 9], f32), T([9], f32), {}), {{}})", p));
    compare("aten.renorm.default", fmt::format("((T([5, 9], f32), {}, 1, 0.7), {{}})", std::string_view(p) == "0.0" ? "0.5" : p));
    compare("aten._cdist_forward.default", fmt::format("((T([2, 5, 3], f32), T([2, 4, 3], f32), {}, None), {{}})", p));
    compare("aten._cdist_backward.default",
            fmt::format("((T([2, 5, 4], f32), T([2, 5, 3], f32), T([2, 4, 3], f32), {}, T([2, 5, 4], f32)), {{}})", p));
    compare("aten._pdist_forward.default", fmt::format("((T([6, 3], f32), {}), {{}})", p));
    compare("aten._pdist_backward.default", fmt::format("((T([15], f32), T([6, 3], f32), {}, T([15], f32)), {{}})", p));
  }
  const auto large = [](const std::vector<at::Tensor>& tensors) { tensors.at(0).mul_(1e12); };  // powers near 1e36
  for (const char* p : {"1.5", "3.0"})
    compareOnCpu("aten._cdist_forward.default", fmt::format("((T([5, 2], f32), T([6, 2], f32), {}, None), {{}})", p), large);
  compare("aten._cdist_backward.default",
          "((T([0, 4, 3], f32), T([1, 4, 5], f32), T([0, 3, 5], f32), 2.0, T([0, 4, 3], f32)), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "batch norms of other names") {
  const std::string channels = "T([5], f32), T([5], f32)", input = "T([4, 5, 3, 7], f32), " + channels;
  compare("aten._native_batch_norm_legit.default", "((" + input + ", " + channels + ", True, 0.1, 1e-05), {})");
  compare("aten._native_batch_norm_legit.default", "((" + input + ", " + channels + ", False, 0.1, 1e-05), {})");
  compare("aten._native_batch_norm_legit.no_stats", "((" + input + ", True, 0.1, 1e-05), {})");
}

}  // namespace
