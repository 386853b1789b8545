#include "runtime/contenders/library/results.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <doctest/doctest.h>

#include "ir/error.h"

using runtime::library::conformed;

namespace {

const std::vector<ir::TensorType> rowMajor{{ir::DType::F32, {2, 3}, {3, 1}}};

}  // namespace

TEST_CASE("results that lie as eager's are handed on; others are copied to where eager's lie") {
  const at::Tensor rows = at::arange(6, at::kFloat).view({2, 3}), columns = rows.t().contiguous().t();
  CHECK(conformed({rows}, rowMajor, at::kCPU)[0].is_same(rows));
  const at::Tensor copied = conformed({columns}, rowMajor, at::kCPU)[0];
  CHECK(copied.strides() == rows.strides());
  CHECK(at::equal(copied, rows));
}

TEST_CASE("strides of dimensions of one element are eager's, without a copy") {
  const at::Tensor row = at::arange(3, at::kFloat).view({1, 3});
  const std::vector<ir::TensorType> types{{ir::DType::F32, {1, 3}, {7, 1}}};
  const at::Tensor same = conformed({row}, types, at::kCPU)[0];
  CHECK(same.stride(0) == 7);
  CHECK(same.data_ptr() == row.data_ptr());
}

TEST_CASE("workspaces at the end may be missing; other types and more results are refused") {
  std::vector<ir::TensorType> types = rowMajor;
  types.push_back({ir::DType::I64, {4}, {1}});
  const at::Tensor rows = at::arange(6, at::kFloat).view({2, 3});
  CHECK(conformed({rows}, types, at::kCPU)[1].sizes() == at::IntArrayRef({4}));
  CHECK_THROWS_WITH_AS(conformed({rows, rows, rows}, types, at::kCPU), "it has 3 results, eager has 2", ir::Error);
  CHECK_THROWS_WITH_AS(conformed({rows.to(at::kDouble)}, types, at::kCPU), "its results have other types", ir::Error);
  CHECK_THROWS_WITH_AS(conformed({rows.view({3, 2})}, types, at::kCPU), "its results have other types", ir::Error);
}
