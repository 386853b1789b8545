#include "runtime/workloads/call.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <doctest/doctest.h>

#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "tests/refusal.h"
#include "tests/runtime/sample.h"

namespace {

struct Case {
  Case(const std::string& op, const std::string& text)
      : device(runtime::openDevice("cpu", 1)), call(tests::sample(op, text), *device, 7) {}
  std::unique_ptr<runtime::Device> device;
  runtime::Call call;

  const at::Tensor& argument(int i) { return call.aten().arguments[i].toTensor(); }
};

const at::Tensor& tensor(const runtime::TensorList& list, int i = 0) { return list.state().tensors.at(i); }

}  // namespace

TEST_CASE("an in-place call returns its argument, and restore undoes it") {
  Case c("aten.add_.Tensor", "((T([2, 3], f32), T([2, 3], f32)), {})");
  const at::Tensor before = c.argument(0).clone();
  CHECK(c.call.mutates());
  const auto outputs = c.call.eager();
  CHECK(tensor(outputs).is_same(c.argument(0)));
  CHECK_FALSE(at::equal(c.argument(0), before));
  c.call.restore();
  CHECK(at::equal(c.argument(0), before));
}

TEST_CASE("restore puts back arguments with gaps and overlaps") {
  Case c("aten.mul_.Tensor", "((T([4, 3], f32, stride=(7, 2)), 2), {})");
  const at::Tensor before = c.argument(0).clone();
  c.call.eager();
  c.call.eager();
  c.call.restore();
  CHECK(at::equal(c.argument(0), before));
}

TEST_CASE("the reference leaves the arguments alone and outlives them") {
  Case c("aten.relu_.default", "((T([64], f32),), {})");
  const at::Tensor before = c.argument(0).clone();
  const auto reference = c.call.runEager();
  CHECK(at::equal(c.argument(0), before));
  const at::Tensor kept = tensor(reference).clone();
  c.call.eager();
  c.call.restore();
  CHECK(at::equal(tensor(reference), kept));
}

TEST_CASE("written arguments that are not returned come after the results") {
  Case c("aten.native_batch_norm.default", "((T([4, 3, 8], f32), None, None, T([3], f32), T([3], f32), True, 0.1, 1e-05), {})");
  const auto outputs = c.call.eager();
  REQUIRE(outputs.size() == 5);
  CHECK(tensor(outputs, 3).is_same(c.argument(3)));
  CHECK(tensor(outputs, 4).is_same(c.argument(4)));
  CHECK(c.call.runEager().size() == 5);
}

TEST_CASE("the float64 reference starts from the rounded arguments") {
  Case c("aten.add.Tensor", "((T([100], f16), T([100], f16)), {})");
  const auto reference = c.call.runEagerInFloat64();
  CHECK(reference.type(0).dtype == ir::DType::F64);
  CHECK(at::equal(tensor(reference), c.argument(0).to(at::kDouble).add(c.argument(1).to(at::kDouble))));
}

TEST_CASE("a cast's float64 reference is its input in float64") {
  Case c("aten._to_copy.default", "((T([100], f32),), {'dtype': f16})");
  CHECK(at::equal(tensor(c.call.runEagerInFloat64()), c.argument(0).to(at::kDouble)));
  Case integers("aten._to_copy.default", "((T([100], f32),), {'dtype': i64})");
  CHECK(integers.call.runEagerInFloat64().type(0).dtype == ir::DType::I64);
}

TEST_CASE("there is no float64 reference of random numbers; eager draws on until its generator is put back") {
  Case c("aten.bernoulli_.float", "((T([1000], f32), 0.5), {})");
  CHECK(c.call.isRandom());
  CHECK_FALSE(c.call.runEagerInFloat64());
  c.call.aten().seedGenerator();
  const at::Tensor first = tensor(c.call.eager()).clone();
  CHECK_FALSE(at::equal(first, tensor(c.call.eager())));
  c.call.aten().seedGenerator();
  CHECK(at::equal(first, tensor(c.call.eager())));
  CHECK(at::equal(first, tensor(c.call.runEager())));
}

TEST_CASE("softmax to a wider dtype has a float64 reference") {
  Case c("aten._softmax_backward_data.default", "((T([4, 8], f32), T([4, 8], f32), -1, f32), {})");
  CHECK(c.call.runEagerInFloat64().type(0).dtype == ir::DType::F64);
}

TEST_CASE("grouped products have a float64 reference whatever the groups are of: rows, columns, what is summed, or matrices") {
  for (const char* call :
       {"((T([16, 8], bf16), T([4, 8, 24], bf16), T([4], i32)), {})",
        "((T([4, 16, 8], bf16), T([8, 24], bf16), T([4], i32)), {})", "((T([16, 8], bf16), T([8, 24], bf16), T([4], i32)), {})",
        "((T([4, 16, 8], bf16), T([4, 8, 24], bf16)), {})"}) {
    CAPTURE(call);
    Case c("aten._grouped_mm.default", call);
    const at::Tensor wide = tensor(c.call.runEagerInFloat64()), eager = tensor(c.call.runEager());
    CHECK(c.call.runEagerInFloat64().type(0).dtype == ir::DType::F64);
    CHECK(wide.allclose(eager.to(at::kDouble), 0.02, 0.02));
  }
}

TEST_CASE("calls that run no kernel are views") {
  CHECK(Case("aten._unsafe_view.default", "((T([2, 6], f32), [3, 4]), {})").call.aten().isView());
  CHECK(Case("aten.split.Tensor", "((T([6], f32), 2), {})").call.aten().isView());
  CHECK(Case("aten.new_empty_strided.default", "((T([2], f32), [2], [1]), {})").call.aten().isView());
  CHECK(Case("aten.unsqueeze_.default", "((T([2], f32), 0), {})").call.aten().isView());
  CHECK(Case("aten.as_strided_.default", "((T([6], f32), [2, 3], [3, 1]), {})").call.aten().isView());
  CHECK_FALSE(Case("aten.relu_.default", "((T([2], f32),), {})").call.aten().isView());
  CHECK_FALSE(Case("aten.clone.default", "((T([2], f32),), {})").call.aten().isView());
}

TEST_CASE("aliases that no schema annotates are found in what ATen returns") {
  const auto isView = [](const std::string& op, const std::string& call) { return Case(op, call).call.isView(); };
  CHECK(isView("aten.unsafe_split.Tensor", "((T([6], f32), 2), {})"));
  CHECK(isView("aten.broadcast_tensors.default", "(([T([1, 3], f32), T([2, 1], f32)],), {})"));
  CHECK(isView("aten.type_as.default", "((T([4], f32), T([1], f32)), {})"));
  CHECK_FALSE(isView("aten.type_as.default", "((T([4], f32), T([1], f64)), {})"));
  CHECK(isView("aten.dropout.default", "((T([4], f32), 0.5, False), {})"));
  CHECK_FALSE(isView("aten.dropout.default", "((T([4], f32), 0.5, True), {})"));
}

TEST_CASE("a call that changes its argument's sizes can be repeated") {
  Case c("aten.unsqueeze_.default", "((T([2, 3], f32), 0), {})");
  CHECK(c.call.eager().type(0).sizes == ir::Shape{1, 2, 3});
  CHECK(c.call.eager().type(0).sizes == ir::Shape{1, 2, 3});
  CHECK(c.argument(0).dim() == 2);
}

TEST_CASE("what ATen cannot do is an error of ours, in one line") {
  CHECK_THROWS_AS(Case("aten.nothing.default", "((), {})"), ir::Error);
  Case c("aten.mm.default", "((T([2, 3], f32), T([2, 3], f32)), {})");
  const std::string why = tests::refusal(ir::ErrorKind::Unsupported, [&] { c.call.eager(); });
  CHECK(why.starts_with("ATen refuses aten.mm.default: "));
  CHECK(why.ends_with("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"));
}
