#include "opbench/run/family.h"

#include <doctest/doctest.h>

#include "runtime/device.h"
#include "tests/runtime/sample.h"
#include "tests/targets.h"

namespace {

std::string_view familyOf(const std::string& op, const std::string& text) {
  const auto device = runtime::Device::open("cpu", 1);
  runtime::Call call(tests::sample(op, text), *device, 1);
  return opbench::familyOf(codegen::compile(call.graph(call.runEager()), tests::avx512()));
}

}  // namespace

TEST_CASE("a call's family is what its loops do") {
  CHECK(familyOf("aten._to_copy.default", "((T([4, 8], f32),), {'dtype': f16})") == "copy");
  CHECK(familyOf("aten.add.Tensor", "((T([4, 8], f32), 1), {})") == "pointwise");
  CHECK(familyOf("aten.sum.dim_IntList", "((T([4, 8], f32), [1]), {})") == "reduction");
  CHECK(familyOf("aten.var.correction", "((T([4, 8], f32), [1]), {})") == "reduction");
  CHECK(familyOf("aten._softmax.default", "((T([4, 8], f32), 1, False), {})") == "normalization");
  CHECK(familyOf("aten.mm.default", "((T([4, 8], f32), T([8, 2], f32)), {})") == "fallback");
}
