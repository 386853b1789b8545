// The order of rows against ATen.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tests/opbench/run/operators.h"

TEST_CASE_FIXTURE(tests::Operators, "places in the order of short rows") {
  const tests::Edit ties = [](const std::vector<at::Tensor>& tensors) { tensors[0].copy_(tensors[0].mul(2).round()); };
  for (const char* op : {"median", "nanmedian"}) {
    compare(fmt::format("aten.{}.dim", op), "((T([3, 8, 5], f32), 1, True), {})");
    compare(fmt::format("aten.{}.dim", op), "((T([5, 9], f16), -1), {})");
    compare(fmt::format("aten.{}.default", op), "((T([5, 9], f32),), {})");
  }
  compare("aten.median.dim", "((T([5, 9], i64), 1), {})");
  compare("aten.kthvalue.default", "((T([5, 9], f32), 3, 1), {})", ties);
  for (const char* op : {"cummax", "cummin"}) {
    compare(fmt::format("aten.{}.default", op), "((T([5, 9], f32), 1), {})", ties);
    compare(fmt::format("aten.{}.default", op), "((T([7, 3], i64), 0), {})");
  }
}

TEST_CASE_FIXTURE(tests::Operators, "rows in order, and their first elements: NaN is greater than every number") {
  const tests::Edit ties = [](const std::vector<at::Tensor>& tensors) { tensors[0].copy_(tensors[0].mul(2).round()); };
  const tests::Edit specials = [](const std::vector<at::Tensor>& tensors) {
    const at::Tensor& x = tensors[0];
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    x.select(0, 0).fill_(nan);
    x.select(0, 1).fill_(-infinity);
    x.select(0, 2).narrow(0, 0, 2).fill_(nan);
    x.select(0, 2).narrow(0, 2, 2).fill_(infinity);
    x.select(0, 3).narrow(0, 1, 3).fill_(-infinity);
    x.select(0, 4).narrow(0, 0, 5).fill_(nan);
  };
  for (const char* largest : {"True", "False"}) {
    for (const tests::Edit& edit : {tests::Edit(), ties, specials}) {
      compare("aten.topk.default", fmt::format("((T([5, 7], f16), 4, -1, {}), {{}})", largest), edit);
      compare("aten.sort.stable", fmt::format("((T([5, 7], f16),), {{'stable': True, 'descending': {}}})", largest), edit);
    }
    compare("aten.topk.default", fmt::format("((T([3, 6, 5], f16), 2, 1, {}), {{}})", largest));
    compare("aten.topk.default", fmt::format("((T([40], i64), 3, 0, {}), {{}})", largest));
    compare("aten.sort.default", fmt::format("((T([3, 6, 5], f16), 1, {}), {{}})", largest));
    compare("aten.sort.default", fmt::format("((T([40], i64), 0, {}), {{}})", largest));
    compare("aten.sort.default", fmt::format("((T([], f16), 0, {}), {{}})", largest));
    compare("aten.topk.default", fmt::format("((T([], f16), 1, 0, {}), {{}})", largest));
  }
  compare("aten.topk.default", "((T([64, 128], f32), 8), {})");
  compare("aten.sort.default", "((T([9, 33], f16, stride=(1, 9)),), {})", ties);
}
