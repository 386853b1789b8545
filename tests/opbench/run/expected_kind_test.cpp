#include "opbench/run/expected_kind.h"

#include <doctest/doctest.h>

#include "runtime/device.h"
#include "tests/runtime/sample.h"
#include "tests/targets.h"

using namespace opbench;
using runtime::Kind;

TEST_CASE("the kind that is expected of a sample is that of its race") {
  const auto device = runtime::Device::open("cpu", 1);
  for (const auto& [op, text] : std::vector<std::pair<std::string, std::string>>{
           {"aten.add.Tensor", "((T([4, 8], f32), 1), {})"},
           {"aten.add.Tensor", "((T([4, 8], c64), 1), {})"},
           {"aten.relu.default", "((T([4, 8], f32),), {})"},
           {"aten.native_group_norm.default", "((T([2, 4, 8], f32), T([4], f32), T([4], f32), 2, 4, 8, 2, 1e-05), {})"},
           {"aten.mm.default", "((T([4, 8], f32), T([8, 4], f32)), {})"},
           {"aten.positive.default", "((T([4, 8], f32),), {})"},
           {"aten.split.Tensor", "((T([4, 8], f32), 2), {})"}}) {
    CAPTURE(op);
    const inputs::Sample sample = tests::sample(op, text);
    runtime::Call call(sample, *device, 0);
    const codegen::Plan plan = codegen::compile(call.graph(call.runEager()), device->target());
    const Kind raced = call.isView() ? Kind::View : plan.fallbackReason.empty() ? Kind::Generated : Kind::Fallback;
    const ExpectedKind expected = expectedKinds({sample}, tests::avx512()).at(0);
    CHECK(expected.kind == raced);
    CHECK(expected.reason.empty() == (raced != Kind::Fallback));
  }
}

TEST_CASE("a small call on the host stands for the larger ones of its form, however large") {
  const std::vector<ExpectedKind> kinds =
      expectedKinds({tests::sample("aten.relu.default", "((T([1000000, 1000000], f32),), {})"),
                     tests::sample("aten.relu.default", "((T([4, 8], f32),), {})"),
                     tests::sample("aten.relu.default", "((T([1000000, 1000000], f32, stride=(1, 1000000)),), {})")},
                    tests::hopper());
  CHECK(kinds[0].kind == Kind::Generated);
  CHECK(kinds[1].kind == Kind::Generated);
  CHECK_FALSE(kinds[2].kind);  // no small one is strided
  CHECK(kinds[2].reason == "not known without a device");
}
