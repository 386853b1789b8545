#include "opbench/run/expected_kind.h"

#include <doctest/doctest.h>

#include "inputs/region.h"
#include "ir/text/text.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/workloads/call.h"
#include "tests/runtime/sample.h"
#include "tests/targets.h"

using namespace opbench;
using runtime::Kind;

TEST_CASE("the kind that is expected of a sample is that of its race") {
  const auto device = runtime::openDevice("cpu", 1);
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

TEST_CASE("a region is generated, and says into how many parts it is cut") {
  const auto regionOf = [](const std::string& middle) {
    return inputs::regionSample(ir::parseGraph("graph\n  in x0 f32[4, 4]\n  y0 f32[4, 4] = aten.exp.default(self=x0)\n" + middle +
                                               "  y2 f32[4, 4] = aten.neg.default(self=y1)\n  return y2\n"),
                                "test");
  };
  const auto kinds = expectedKinds({regionOf("  y1 f32[4, 4] = aten.abs.default(self=y0)\n"),
                                    regionOf("  y1 f32[4, 4] = aten.mm.default(self=y0, mat2=x0)\n")},
                                   tests::hopper());
  CHECK(kinds[0].kind == Kind::Generated);
  CHECK(kinds[0].reason.empty());
  CHECK(kinds[1].kind == Kind::Generated);
  CHECK(kinds[1].reason == "cut into 3, 1 of ATen's: products of several rows and columns are not lowered");
}
