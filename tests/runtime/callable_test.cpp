#include "runtime/callable.h"

#include <ATen/ops/add.h>
#include <ATen/ops/equal.h>
#include <c10/core/InferenceMode.h>
#include <doctest/doctest.h>

#include "runtime/contenders/plan/callables.h"
#include "runtime/contenders/torchscript.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/refusal.h"
#include "tests/runtime/sample.h"

namespace {

struct Case {
  Case(const std::string& op, const std::string& text, int threads = 2)
      : device(runtime::openDevice("cpu", threads)), call(tests::sample(op, text), *device, 7) {}

  runtime::CallablePtr planned() {
    return runtime::plannedCallable(call, codegen::compile(call.graph(call.runEager()), device->target()), *device,
                                    runtime::Cache());
  }
  /// Whether the contender's run gives exactly what eager does.
  bool agrees(runtime::Callable& callable) {
    call.restore();
    const auto expected = call.runEager();
    const auto outputs = device->prepare(callable, call)->run();
    bool equal = outputs.size() == expected.size();
    for (int i = 0; equal && i < outputs.size(); ++i) equal = runtime::compare(outputs, expected, {}, i, 0).unequal == 0;
    return equal;
  }

  std::unique_ptr<runtime::Device> device;
  runtime::Call call;
};

}  // namespace

TEST_CASE("a generated kernel computes what eager does") {
  Case c("aten.add.Tensor", "((T([64, 130], f32), T([130], f32)), {})");
  const auto callable = c.planned();
  CHECK(callable->kind == runtime::Kind::Generated);
  CHECK(callable->kernels == 1);
  CHECK(callable->compileMs > 0);
  CHECK(c.agrees(*callable));
  CHECK(c.device->prepare(*callable, c.call)->seconds() > 0);
}

TEST_CASE("a generated in-place kernel returns its argument, and each run starts from the same values") {
  Case c("aten.mul_.Tensor", "((T([100], f32), 3), {})");
  const auto callable = c.planned();
  REQUIRE(callable->kind == runtime::Kind::Generated);
  const auto trial = c.device->prepare(*callable, c.call);
  const at::Tensor first = trial->run().state().tensors[0].clone();
  trial->seconds();
  const auto again = trial->run();
  CHECK(at::equal(first, again.state().tensors[0]));
  CHECK(again.state().tensors[0].is_same(c.call.aten().arguments[0].toTensor()));
  CHECK(c.agrees(*callable));
}

TEST_CASE("a call without a lowering runs through ATen and says so") {
  Case c("aten.mm.default", "((T([8, 8], f32), T([8, 8], f32)), {})");
  const auto callable = c.planned();
  CHECK(callable->kind == runtime::Kind::Fallback);
  CHECK(callable->reason == "products of matrices are not lowered for CPUs");
  CHECK(c.agrees(*callable));
}

TEST_CASE("a call that only makes a view is a view") {
  Case c("aten.split.Tensor", "((T([6, 2], f32), 2), {})");
  REQUIRE(c.call.isView());
  const codegen::Plan plan = codegen::fallbackPlan(c.call.graph(c.call.runEager()), "");
  const auto callable = runtime::plannedCallable(c.call, plan, *c.device, runtime::Cache());
  CHECK(callable->kind == runtime::Kind::View);
  CHECK((*callable)().size() == 3);
}

TEST_CASE("empty outputs launch nothing") {
  Case c("aten.add.Tensor", "((T([0, 4], f32), 1), {})");
  const auto callable = c.planned();
  CHECK(callable->kind == runtime::Kind::Generated);
  CHECK(callable->kernels == 0);
  CHECK(c.agrees(*callable));
}

TEST_CASE("poison stands where a kernel wrote nothing") {
  // A plan whose only kernel was left out.
  Case c("aten.neg.default", "((T([4], f32),), {})");
  codegen::Plan plan = codegen::compile(c.call.graph(c.call.runEager()), c.device->target());
  plan.steps.clear();
  const auto callable = runtime::plannedCallable(c.call, plan, *c.device, runtime::Cache());
  const auto outputs = c.device->prepare(*callable, c.call)->run();
  CHECK(outputs.state().tensors[0].isnan().all().item<bool>());
}

TEST_CASE("TorchScript runs the call as a graph") {
  for (const auto& [op, text] : std::vector<std::pair<std::string, std::string>>{
           {"aten.add.Tensor", "((T([8, 8], f32), T([8], f32)), {})"},
           {"aten.add_.Tensor", "((T([8, 8], f32), 2), {})"},
           {"aten.cat.default", "(([T([2], f32), T([3], f32)],), {})"},
           {"aten.native_batch_norm.default",
            "((T([4, 3, 8], f32), None, None, T([3], f32), T([3], f32), True, 0.1, 1e-05), {})"},
           {"aten._to_copy.default", "((T([8], f32),), {'dtype': f16})"}}) {
    CAPTURE(op);
    Case c(op, text);
    const auto callable = runtime::torchscriptCallable(c.call);
    CHECK(c.agrees(*callable));
  }
}

TEST_CASE("what TorchScript cannot run is said in one line") {
  Case c("aten.mm.default", "((T([2, 3], f32), T([2, 3], f32)), {})");
  const std::string why = tests::refusal(ir::ErrorKind::Unsupported, [&] { (void)runtime::torchscriptCallable(c.call); });
  CHECK(why.starts_with("TorchScript cannot run aten.mm.default: "));
  CHECK(why.ends_with("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"));
}

TEST_CASE("a CPU's run back to back is the mean of many calls, a cold one finds its data in memory") {
  Case c("aten.add.Tensor", "((T([256, 1024], f32), T([256, 1024], f32)), {})");
  const auto callable = c.planned();
  const auto trial = c.device->prepare(*callable, c.call);
  REQUIRE(trial->prepareFor(runtime::Measure::BackToBack));
  REQUIRE(trial->prepareFor(runtime::Measure::Cold));
  std::vector<double> times;
  trial->queue(runtime::Measure::BackToBack);
  trial->queue(runtime::Measure::Cold);
  trial->collect(times);
  REQUIRE(times.size() == 2);
  CHECK(times[0] > 0);
  CHECK(times[1] > 0);
  trial->collect(times);
  CHECK(times.size() == 2);
  CHECK(c.agrees(*callable));
}

TEST_CASE("a call has as many sets of arguments as are asked for, equal and apart") {
  const c10::InferenceMode guard;
  Case c("aten.add_.Tensor", "((T([4, 8], f32, stride=(1, 4)), 2), {})");
  c.call.multiply(3);
  const auto& first = c.call.aten().set(0)[0].toTensor();
  const auto& third = c.call.aten().set(2)[0].toTensor();
  CHECK(at::equal(first, third));
  CHECK(first.strides() == third.strides());
  CHECK_FALSE(first.is_alias_of(third));
  CHECK(c.call.operandBytes() >= 4 * 8 * 4);
  for (const bool isGenerated : {false, true}) {
    const auto callable = isGenerated ? c.planned() : runtime::eagerCallable(c.call);
    const at::Tensor before = third.clone();
    callable->use(2);
    (*callable)();
    CHECK(at::equal(third, at::add(before, 2)));
    CHECK(at::equal(first, before));
    c.call.restore(2);
    CHECK(at::equal(third, before));
  }
}
