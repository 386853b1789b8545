#include "inputs/data/rows.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/equal.h>
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "inputs/data/materialize.h"
#include "tests/inputs/data/drawn.h"

namespace {

at::Tensor drawnRows(const std::string& op, const std::string& call, int64_t turn = 0, bool isTame = false, size_t argument = 0) {
  const inputs::Data data{.distribution = inputs::Distribution::Specials, .turn = turn, .isTame = isTame};
  return inputs::materialize(tests::sampleOf(op, call), c10::kCPU, 1, data).args.at(argument).toTensor();
}

/// How many rows (along the last dimension) are such.
int64_t rowsThat(const at::Tensor& tensor, const std::function<bool(const at::Tensor&)>& holds) {
  int64_t count = 0;
  for (const at::Tensor& row : tensor.reshape({-1, tensor.size(-1)}).unbind())
    if (holds(row.to(at::kDouble))) ++count;
  return count;
}

bool isAll(const at::Tensor& mask) { return mask.all().item<bool>(); }

std::string dims(const std::string& op, const std::string& call) {
  const inputs::Sample sample = tests::sampleOf(op, call);
  const auto found = inputs::combinedDims(sample, *sample.args.at(0).as<ir::TensorType>());
  std::string text;
  for (const int64_t dim : found.value_or(std::vector<int64_t>{-1})) text += std::to_string(dim) + " ";
  return text;
}

}  // namespace

TEST_CASE("each row holds one thing: a NaN in one of them is in no row that holds infinities") {
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
    CAPTURE(dtype);
    const at::Tensor rows = drawnRows("aten._softmax.default", "((T([64, 768], " + std::string(dtype) + "), -1, False), {})");
    const auto count = [&](const std::function<bool(const at::Tensor&)>& holds) { return rowsThat(rows, holds); };
    const auto low = [](const at::Tensor& row) { return row.eq(-INFINITY); };
    CHECK(count([&](const auto& row) { return isAll(low(row)); }) >= 3);
    CHECK(count([&](const auto& row) {
            return isAll(low(row.narrow(0, 0, 384))) && isAll(row.narrow(0, 384, 384).isfinite());
          }) >= 3);
    CHECK(count([&](const auto& row) {
            return isAll(low(row.narrow(0, 384, 384))) && isAll(row.narrow(0, 0, 384).isfinite());
          }) >= 3);
    CHECK(count([&](const auto& row) {
            return row.isnan().sum().item().toLong() == 1 && row.isfinite().sum().item().toLong() == 767;
          }) >= 3);
    CHECK(count([&](const auto& row) {
            return row.eq(INFINITY).sum().item().toLong() == 1 && !low(row).any().item().toBool();
          }) >= 3);
    CHECK(count([&](const auto& row) { return isAll(row.eq(0)); }) >= 3);
    CHECK(count([&](const auto& row) { return isAll(row.eq(row[0])) && isAll(row.isfinite()) && !isAll(row.eq(0)); }) >= 3);
    CHECK(count([&](const auto& row) {
            return isAll(row.diff().ge(0)) && isAll(row.isfinite()) && row[-1].sub(row[0]).item().toDouble() > 1;
          }) >= 3);
    CHECK(count([&](const auto& row) {
            return isAll(row.diff().le(0)) && isAll(row.isfinite()) && row[0].sub(row[-1]).item().toDouble() > 1;
          }) >= 3);
    for (const int64_t place : {0, 767})
      CHECK(count([&](const auto& row) {
              return isAll(row.isfinite()) && row.argmax().item().toLong() == place && row.max().item().toDouble() > 60000;
            }) >= 3);
  }
}

TEST_CASE("rows lie along the dimensions that a call combines") {
  CHECK(dims("aten._softmax.default", "((T([4, 5, 6], f32), 1, False), {})") == "1 ");
  CHECK(dims("aten.sum.dim_IntList", "((T([4, 5, 6], f32), [0, -1]), {})") == "0 2 ");
  CHECK(dims("aten.sum.default", "((T([4, 5], f32),), {})") == "0 1 ");
  CHECK(dims("aten.argmax.default", "((T([4, 5], f32),), {})") == "0 1 ");
  CHECK(dims("aten.cosine_similarity.default", "((T([4, 5], f32), T([4, 5], f32)), {})") == "1 ");
  CHECK(dims("aten.native_layer_norm.default", "((T([4, 5, 6], f32), [5, 6], None, None, 1e-05), {})") == "1 2 ");
  CHECK(dims("aten.native_batch_norm.default", "((T([4, 5, 6], f32), None, None, None, None, True, 0.1, 1e-05), {})") == "0 2 ");
  CHECK(dims("aten.add.Tensor", "((T([4, 5], f32), T([4, 5], f32)), {})") == "-1 ");
  const at::Tensor columns = drawnRows("aten._softmax.default", "((T([50, 64], f32, stride=(64, 1)), 0, False), {})").t();
  CHECK(rowsThat(columns, [](const at::Tensor& column) { return isAll(column.eq(-INFINITY)); }) >= 3);
}

TEST_CASE("what must not be special has rows that are equal, zero, or of the size of eps") {
  const at::Tensor rows = drawnRows("aten.native_layer_norm.default", "((T([64, 256], f32), [256], None, None, 1e-12), {})");
  CHECK(isAll(rows.abs().lt(10)));
  CHECK(rowsThat(rows, [](const at::Tensor& row) { return isAll(row.eq(0)); }) >= 3);
  CHECK(rowsThat(rows, [](const at::Tensor& row) {
          return row.var().item().toDouble() < 2e-12 && row.var().item().toDouble() > 5e-13;
        }) >= 3);
  const at::Tensor norms = drawnRows("aten.cosine_similarity.default", "((T([64, 256], f32), T([64, 256], f32)), {})");
  CHECK(rowsThat(norms, [](const at::Tensor& row) {
          return row.norm().item().toDouble() < 2e-8 && row.norm().item().toDouble() > 5e-9;
        }) >= 3);
}

TEST_CASE("few rows hold everything in turn, where drawing again takes no time") {
  const char* call = "((T([300], f32), 0, False), {})";
  const int64_t turns = inputs::turnsOf(tests::sampleOf("aten._softmax.default", call));
  CHECK(turns == inputs::thingsOfRows);
  int64_t nans = 0, lows = 0;
  for (int64_t turn = 0; turn < turns; ++turn) {
    const at::Tensor row = drawnRows("aten._softmax.default", call, turn);
    nans += row.isnan().sum().item().toLong() == 1;
    lows += isAll(row.eq(-INFINITY));
  }
  CHECK(nans == 1);
  CHECK(lows == 1);
  CHECK(inputs::turnsOf(tests::sampleOf("aten._softmax.default", "((T([64, 768], f32), -1, False), {})")) == 1);
  CHECK(inputs::turnsOf(tests::sampleOf("aten.sum.default", "((T([1000000], f32),), {})")) == 1);
}

TEST_CASE("a second tensor holds the same as the first in some rows, a smaller one nothing special") {
  const char* call = "((T([90, 64], f32), T([90, 64], f32)), {})";
  const at::Tensor x = drawnRows("aten.add.Tensor", call), y = drawnRows("aten.add.Tensor", call, 0, false, 1);
  const at::Tensor lowX = x.eq(-INFINITY).all(1), lowY = y.eq(-INFINITY).all(1);
  CHECK(lowX.logical_and(lowY).any().item().toBool());
  CHECK(lowX.logical_and(lowY.logical_not()).any().item().toBool());
  CHECK(lowY.logical_and(lowX.logical_not()).any().item().toBool());
  CHECK(isAll(drawnRows("aten.add.Tensor", "((T([90, 64], f32), T([64], f32)), {})", 0, false, 1).isfinite()));
}

TEST_CASE("rows keep to the strides of their tensor; what lies on itself or is complex has none") {
  for (const char* type : {"T([20, 6], f32, stride=(1, 20))", "T([20, 6], f32, stride=(12, 2))", "T([20, 6], f32, stride=(0, 1))",
                           "T([20, 6], i32)", "T([20, 6], b8)", "T([20, 6], f8e4m3)", "T([20, 6], f32, stride=(1, 1))",
                           "T([20, 6], c64)", "T([0, 6], f32)", "T([], f32)"}) {
    CAPTURE(type);
    const inputs::Sample sample = tests::sampleOf("aten.abs.default", "((" + std::string(type) + ",), {})");
    const at::Tensor rows = drawnRows("aten.abs.default", "((" + std::string(type) + ",), {})");
    CHECK(rows.strides().vec() == sample.args[0].as<ir::TensorType>()->strides);
    CHECK(rows.sizes().vec() == sample.args[0].as<ir::TensorType>()->sizes);
  }
  CHECK(isAll(drawnRows("aten.abs.default", "((T([64, 40], f32),), {})", 0, true).isfinite()));
}
