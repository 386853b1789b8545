#include "inputs/convert.h"

#include <doctest/doctest.h>

#include <string>

using ir::DType;

namespace {

std::string converted(const std::string& op, const std::string& call, DType target, bool channelsLast = false) {
  inputs::Sample sample;
  sample.op = op;
  inputs::parseCall(call, {"model.txt", 1}, 1, sample);
  return toText(inputs::convert(sample, target, channelsLast));
}

}  // namespace

TEST_CASE("--dtype: f16 is as recorded, bf16 takes f16's place, f32 and f64 every floating one's") {
  const char* call =
      "((T([2], f16), T([2], f32), [T([2], f64), T([2], bf16)], T([2], i64), T([2], b8), f16, 0.5), {'dtype': f32})";
  CHECK(converted("aten.x.default", call, DType::F16) == call);
  CHECK(converted("aten.x.default", call, DType::BF16) ==
        "((T([2], bf16), T([2], f32), [T([2], f64), T([2], bf16)], T([2], i64), T([2], b8), bf16, 0.5), {'dtype': f32})");
  CHECK(converted("aten.x.default", call, DType::F32) ==
        "((T([2], f32), T([2], f32), [T([2], f32), T([2], f32)], T([2], i64), T([2], b8), f32, 0.5), {'dtype': f32})");
  CHECK(converted("aten.x.default", call, DType::F64) ==
        "((T([2], f64), T([2], f64), [T([2], f64), T([2], f64)], T([2], i64), T([2], b8), f64, 0.5), {'dtype': f64})");
}

TEST_CASE("complex follows its component") {
  CHECK(converted("aten.x.default", "((T([2], c32),), {})", DType::BF16) == "((T([2], c32),), {})");
  CHECK(converted("aten.x.default", "((T([2], c32),), {})", DType::F32) == "((T([2], c64),), {})");
  CHECK(converted("aten.x.default", "((T([2], c32),), {})", DType::F64) == "((T([2], c128),), {})");
}

TEST_CASE("strides stay, unless 4-D tensors are asked to be channels last") {
  const char* call = "((T([2, 3, 4, 5], f16), T([3, 2], f16, stride=(1, 3)), [T([1, 2, 3, 4], i64, stride=(0, 0, 0, 0))]), {})";
  CHECK(converted("aten.x.default", call, DType::F16) == call);
  CHECK(converted("aten.x.default", call, DType::F16, true) ==
        "((T([2, 3, 4, 5], f16, stride=(60, 1, 15, 3)), T([3, 2], f16, stride=(1, 3)), "
        "[T([1, 2, 3, 4], i64, stride=(24, 1, 8, 2))]), {})");
}

TEST_CASE("half_to_float is dropped where the input is no longer f16") {
  const char* call = "((T([2, 3], f16), -1, True), {})";
  CHECK(converted("aten._softmax.default", call, DType::F16) == call);
  CHECK(converted("aten._softmax.default", call, DType::BF16) == "((T([2, 3], bf16), -1, False), {})");
  CHECK(converted("aten._log_softmax.default", call, DType::F32) == "((T([2, 3], f32), -1, False), {})");
}

TEST_CASE("samples run at four dtypes") {
  CHECK_THROWS_WITH_AS(converted("aten.x.default", "((), {})", DType::I64),
                       "the dtype must be float16, bfloat16, float32 or float64, got int64", ir::Error);
}
