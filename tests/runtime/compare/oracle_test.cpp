// The oracles besides eager: values at indices, trivial solutions, other data.
#include "runtime/compare/oracle.h"

#include <ATen/ops/tensor.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/runtime/sample.h"

using runtime::IndexKind;

namespace {

runtime::Device& cpu() {
  static const std::unique_ptr<runtime::Device> device = runtime::openDevice("cpu", 1);
  return *device;
}

/// A call whose first argument holds these numbers, and a result that holds indices in it.
struct Found {
  Found(const std::string& op, const std::string& text, const std::vector<float>& numbers, at::Tensor indices)
      : call(tests::sample(op, text), cpu(), 1), outputs(runtime::makeTensorList({std::move(indices)})) {
    const c10::InferenceMode guard;
    const at::Tensor self = call.aten().arguments[0].toTensor();
    self.copy_(at::tensor(numbers).reshape(self.sizes()));
  }
  runtime::IndexedValues as(IndexKind kind) { return runtime::valuesAt(call.aten(), outputs, 0, kind); }

  runtime::Call call;
  runtime::TensorList outputs;
};

std::vector<float> numbersIn(const runtime::TensorList& list) {
  const at::Tensor flat = list.state().tensors.at(0).contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

at::Tensor indices(std::vector<int64_t> numbers, at::IntArrayRef sizes) { return at::tensor(numbers).reshape(sizes); }

std::vector<std::string> trivialNames(const std::string& op, const std::string& text) {
  runtime::Call call(tests::sample(op, text), cpu(), 1);
  std::vector<std::string> names;
  for (const auto& trivial : runtime::trivialResults(call, call.runEager(), call.runEagerInFloat64(), 0, 1000))
    names.push_back(trivial.name);
  return names;
}

}  // namespace

TEST_CASE("indices name values along a dimension, in the flattened tensor, or in a plane") {
  const std::string two = "((T([2, 3], f32), 1), {})";
  CHECK(numbersIn(Found("aten.argmax.default", two, {1, 5, 5, 7, 2, 7}, indices({2, 0}, {2})).as(IndexKind::Dim).values) ==
        std::vector<float>{5, 7});
  CHECK(numbersIn(Found("aten.argmax.default", "((T([2, 3], f32),), {})", {1, 5, 5, 7, 2, 7}, indices({5}, {}))
                      .as(IndexKind::Dim)
                      .values) == std::vector<float>{7});
  const std::string pool = "((T([1, 2, 2, 2], f32), [2, 2]), {})";
  CHECK(numbersIn(Found("aten.max_pool2d_with_indices.default", pool, {1, 2, 3, 4, 8, 7, 6, 5}, indices({3, 0}, {1, 2, 1, 1}))
                      .as(IndexKind::Plane)
                      .values) == std::vector<float>{4, 8});
}

TEST_CASE("indices out of range, and equal ones where they must be distinct") {
  const std::string call = "((T([4], f32), 0), {})";
  CHECK(Found("aten.argmax.default", call, {1, 2, 3, 4}, indices({4}, {})).as(IndexKind::Dim).error ==
        "has index 4 in a dimension of size 4");
  CHECK(Found("aten.argmax.default", call, {1, 2, 3, 4}, indices({-1}, {})).as(IndexKind::Dim).error ==
        "has index -1 in a dimension of size 4");
  CHECK(Found("aten.sort.default", call, {1, 1, 3, 4}, indices({0, 0, 2, 3}, {4})).as(IndexKind::Distinct).error ==
        "has an index twice");
  CHECK(Found("aten.sort.default", call, {1, 1, 3, 4}, indices({1, 0, 2, 3}, {4})).as(IndexKind::Distinct).error == "");
}

TEST_CASE("results that take no work: zeros, the mean, and arguments that look like the output") {
  using Names = std::vector<std::string>;
  CHECK(trivialNames("aten.add.Tensor", "((T([3, 4], f32), T([4], f32)), {})") ==
        Names{"zeros", "the mean", "a copy of argument 0"});
  CHECK(trivialNames("aten.eq.Tensor", "((T([3, 4], f32), T([3, 4], f32)), {})") == Names{"zeros", "the mean"});
  CHECK(trivialNames("aten.sum.default", "((T([3, 4], f32),), {})") == Names{"zeros"});
}

TEST_CASE("a number that is a tensor of rank 0 may be wider than the result") {
  const auto hasWider = [](const std::string& text, ir::DType dtype) {
    runtime::Call call(tests::sample("aten.mul.Tensor", text), cpu(), 1);
    return runtime::hasWiderNumber(call, dtype);
  };
  CHECK(hasWider("((T([4], f16), T([], f32)), {})", ir::DType::F16));
  CHECK_FALSE(hasWider("((T([4], f16), T([], f16)), {})", ir::DType::F16));
  CHECK_FALSE(hasWider("((T([4], f16), 2.5), {})", ir::DType::F16));
  CHECK_FALSE(hasWider("((T([4], f16), T([4], f32)), {})", ir::DType::F32));
}

TEST_CASE("drawing again changes the data of what was made for the call, and what in-place arguments are restored to") {
  runtime::Call call(tests::sample("aten.neg_.default", "((T([50], f32),), {})"), cpu(), 1);
  const auto callable = runtime::eagerCallable(call);
  const auto trial = cpu().prepare(*callable, call);
  const runtime::TensorList first = runtime::clone(trial->run());
  CHECK(runtime::bitwiseEqual(first, trial->run()));
  call.draw(2, {});
  const runtime::TensorList second = runtime::clone(trial->run());
  CHECK_FALSE(runtime::bitwiseEqual(first, second));
  CHECK(runtime::bitwiseEqual(second, call.runEager()) == false);  // the argument holds the result now
  call.restore();
  CHECK(runtime::bitwiseEqual(second, call.runEager()));
  call.draw(1, {});
  CHECK(runtime::bitwiseEqual(first, trial->run()));
}

TEST_CASE("zeros, infinities and NaN stay when data are disturbed, of each dtype, and large numbers come back, too") {
  const c10::InferenceMode guard;
  for (const char* dtype : {"f16", "bf16", "f32", "f64"}) {
    CAPTURE(dtype);
    runtime::Call call(tests::sample("aten.neg.default", std::string("((T([6], ") + dtype + "),), {})"), cpu(), 1);
    const at::Tensor data = call.operands().state().tensors[0];
    const double values[] = {0, -std::numeric_limits<double>::infinity(), std::nan(""), 1, -2, 30000};
    for (int64_t i = 0; i < 6; ++i) data[i] = values[i];
    const runtime::TensorList before = runtime::clone(call.operands());
    for (const int64_t number : {1, 64}) {
      const std::function<void()> restore = runtime::disturb(call.operands(), number);
      CHECK(data[0].item<double>() == 0);
      CHECK(data[1].item<double>() == values[1]);
      CHECK(std::isnan(data[2].item<double>()));
      CHECK(data[3].item<double>() > 1);
      CHECK(data[3].item<double>() < 2);
      CHECK(data[4].item<double>() < -2);
      restore();
      CHECK(runtime::bitwiseEqual(call.operands(), before));
    }
    data[5] = 65504;  // the largest of f16, which stays as it is then, with its tensor
    const runtime::TensorList large = runtime::clone(call.operands());
    const std::function<void()> restore = runtime::disturb(call.operands(), 64);
    restore();
    CHECK(runtime::bitwiseEqual(call.operands(), large));
  }
}

TEST_CASE("disturbing data changes each number and no order, and can be undone; inverting data can be, too") {
  runtime::Call call(tests::sample("aten.add.Tensor", "((T([3, 4], f32), T([3, 4], i64)), {})"), cpu(), 1);
  const runtime::TensorList before = runtime::clone(call.operands());
  const std::vector<float> numbers = numbersIn(call.operands());
  const std::function<void()> restore = runtime::disturb(call.operands(), 5);
  CHECK_FALSE(runtime::bitwiseEqual(call.operands(), before, 0));
  const std::vector<float> larger = numbersIn(call.operands());
  REQUIRE(larger.size() == numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    CHECK(std::abs(larger[i]) > std::abs(numbers[i]));
    CHECK(std::signbit(larger[i]) == std::signbit(numbers[i]));
    for (size_t j = 0; j < numbers.size(); ++j) CHECK((larger[i] < larger[j]) == (numbers[i] < numbers[j]));
  }
  restore();
  CHECK(runtime::bitwiseEqual(call.operands(), before));
  runtime::invert(call.operands());
  CHECK_FALSE(runtime::bitwiseEqual(call.operands(), before, 0));
  CHECK_FALSE(runtime::bitwiseEqual(call.operands(), before, 1));
  runtime::invert(call.operands());
  CHECK(runtime::bitwiseEqual(call.operands(), before));
}
