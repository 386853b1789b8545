#include "runtime/torch/guard.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "runtime/callable.h"
#include "runtime/compare/oracle.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/runtime/sample.h"

using runtime::guardBytes;

namespace {

at::Tensor guarded(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type = at::kFloat) {
  at::Tensor tensor = runtime::emptyGuarded(sizes, strides, at::TensorOptions(type));
  runtime::poison(tensor);
  return tensor;
}

/// What is said once byte `place` of the tensor's memory, which may lie outside, was written.
std::string afterWriting(int64_t place) {
  const at::Tensor tensor = guarded({4}, {1});
  static_cast<uint8_t*>(tensor.data_ptr())[place] = 7;
  const runtime::TensorList outputs = runtime::makeTensorList({at::ones({2}), tensor});
  const std::string said = runtime::writtenOutside(outputs);
  CHECK(runtime::writtenOutside(outputs) == "");  // the guards are whole again
  return said;
}

}  // namespace

TEST_CASE("a guarded tensor has the sizes and strides asked for, in memory of its own") {
  const at::Tensor tensor = guarded({3, 5}, {1, 3}, at::kHalf);
  CHECK(tensor.sizes() == at::IntArrayRef({3, 5}));
  CHECK(tensor.strides() == at::IntArrayRef({1, 3}));
  CHECK(runtime::isGuarded(tensor));
  CHECK(reinterpret_cast<uintptr_t>(tensor.data_ptr()) % 64 == 0);
  CHECK_FALSE(runtime::isGuarded(tensor.select(0, 1)));
  CHECK_FALSE(runtime::isGuarded(at::ones({3, 5})));
  CHECK(runtime::isGuarded(guarded({0}, {1})));
}

TEST_CASE("the storage of a clone between guards can be read from its start, of no elements as well") {
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{0, 0}, {2, 3}}) {
    const at::Tensor clone = runtime::cloneBetweenGuards(at::ones(sizes), /*hasOffset=*/true);
    const int64_t elements = static_cast<int64_t>(clone.storage().nbytes() / clone.itemsize());
    CHECK(elements == guardBytes / 4 + clone.numel());
    CHECK(clone.as_strided({elements}, {1}, 0).isnan().sum().item<int64_t>() == guardBytes / 4);
  }
}

TEST_CASE("a part of a tensor is not guarded, though it lies where a guarded one would") {
  const int64_t elements = runtime::guardBytes / 4;
  const at::Tensor whole = at::zeros({3, elements});
  CHECK_FALSE(runtime::isGuarded(whole[1]));
  const at::Tensor guarded = runtime::emptyGuarded({3, elements}, {elements, 1}, at::kFloat);
  CHECK(runtime::isGuarded(guarded));
  CHECK_FALSE(runtime::isGuarded(guarded[0]));
}

TEST_CASE("writes on either side are found, and where") {
  CHECK(afterWriting(0) == "");
  CHECK(afterWriting(15) == "");
  CHECK(afterWriting(16) == "output 1 was written outside its memory: byte 1 after its end");
  CHECK(afterWriting(16 + guardBytes - 1) == "output 1 was written outside its memory: byte 4096 after its end");
  CHECK(afterWriting(-1) == "output 1 was written outside its memory: byte 1 before its start");
}

TEST_CASE("what is disguised holds no element where it was, whatever its dtype") {
  const c10::InferenceMode guard;
  for (const auto dtype :
       {at::kFloat, at::kHalf, at::kLong, at::kBool, at::kUInt64, at::kUInt16, at::kFloat8_e4m3fn, at::kComplexFloat})
    for (int run = 0; run < 8; ++run) {
      CAPTURE(dtype);
      const at::Tensor values = at::arange(64).to(dtype), before = values.clone();
      runtime::disguise(values);
      CHECK_FALSE(at::equal(values.view(at::kByte), before.view(at::kByte)));
    }
}

TEST_CASE("unwritten elements stand out in every dtype") {
  CHECK(guarded({4}, {1}).isnan().all().item<bool>());
  CHECK(guarded({4}, {1}, at::kBFloat16).isnan().all().item<bool>());
  CHECK(guarded({4}, {1}, at::kInt).lt(-1000).all().item<bool>());
  CHECK(guarded({4}, {1}, at::kBool).view(at::kByte).gt(1).all().item<bool>());
  const at::Tensor bare = at::ones({4});
  runtime::poison(bare);
  CHECK(bare.isnan().all().item<bool>());
}

TEST_CASE("what generated kernels write lies between guards when it is checked, in place too") {
  const auto device = runtime::openDevice("cpu", 1);
  for (const char* op : {"aten.neg.default", "aten.neg_.default"}) {
    runtime::Call call(tests::sample(op, "((T([100], f32),), {})"), *device, 1);
    const runtime::TensorList expected = call.runEager();
    const auto callable =
        runtime::plannedCallable(call, codegen::compile(call.graph(expected), device->target()), *device, runtime::Cache());
    const auto trial = device->prepare(*callable, call);
    CHECK(runtime::isGuarded(trial->run().state().tensors[0]));
    CHECK(runtime::writtenOutside(trial->outputs()) == "");
    CHECK(runtime::bitwiseEqual(trial->outputs(), expected));
    runtime::poisonGuarded(trial->outputs());
    CHECK(trial->outputs().state().tensors[0].isnan().all().item<bool>());
  }
}

TEST_CASE("arguments that are only read lie between guards, which show in what is computed from them, and behind an offset") {
  const auto device = runtime::openDevice("cpu", 1);
  runtime::Call call(tests::sample("aten.add.Tensor", "((T([100], f32), T([100], f32)), {})"), *device, 1);
  const at::Tensor argument = call.aten().arguments[0].toTensor();
  const auto* data = argument.const_data_ptr<float>();
  CHECK(std::isnan(data[-1]));
  CHECK(std::isnan(data[100]));
  CHECK(argument.storage_offset() == guardBytes / 4);
  const auto* start = static_cast<const float*>(argument.storage().data());
  CHECK(start + argument.storage_offset() == data);
  CHECK(std::isnan(*start));
  // As strides of a view, of an operator that counts from the beginning of a storage.
  runtime::Call strided(tests::sample("aten.as_strided.default", "((T([100], f32), [10], [3]), {})"), *device, 1);
  CHECK(strided.aten().arguments[0].toTensor().storage_offset() == 0);
}
