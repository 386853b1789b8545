// Type promotion: tensors with dimensions decide before 0-dim tensors, and those before numbers, within one kind of dtype.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "ir/text/text.h"
#include "lowering/tensor/lowering.h"

namespace {

/// The loops of `mul` (or another operator of two operands) over operands such as `f16[4]`, `f32[]` or `2.5`.
std::string lowered(const std::string& op, const std::string& self, const std::string& other, const std::string& result) {
  const bool isTensor = other.find('[') != std::string::npos;
  const std::string operand = isTensor ? fmt::format("  in other {}\n", other) : "";
  const std::string text = fmt::format("graph\n  in self {}\n{}  out0 {} = {}(self=self, other={})\n  return out0\n", self,
                                       operand, result, op, isTensor ? "other" : other);
  const std::string loops = ir::toText(lowering::lower(ir::parseGraph(text)).at(0));
  const std::size_t store = loops.find("out0[i0] = ");
  REQUIRE(store != std::string::npos);
  return loops.substr(store + 11, loops.size() - store - 12);
}

TEST_CASE("halves are multiplied in f32 and rounded once") {
  CHECK(lowered("aten.mul.Tensor", "f16[4]", "f16[4]", "f16[4]") == "f16(f32(self[i0]) * f32(other[i0]))");
  CHECK(lowered("aten.mul.Tensor", "bf16[4]", "bf16[4]", "bf16[4]") == "bf16(f32(self[i0]) * f32(other[i0]))");
}

TEST_CASE("f16 and bf16 meet in f32, f32 and f64 in f64") {
  CHECK(lowered("aten.mul.Tensor", "f16[4]", "bf16[4]", "f32[4]") == "f32(self[i0]) * f32(other[i0])");
  CHECK(lowered("aten.mul.Tensor", "f32[4]", "f64[4]", "f64[4]") == "f64(self[i0]) * other[i0]");
}

TEST_CASE("a 0-dim tensor of the same kind does not widen, one of a higher kind does") {
  CHECK(lowered("aten.mul.Tensor", "f16[4]", "f32[]", "f16[4]") == "f16(f32(self[i0]) * f32(f16(other[0])))");
  CHECK(lowered("aten.mul.Tensor", "i64[4]", "f16[]", "f16[4]") == "f16(f32(f16(self[i0])) * f32(other[0]))");
}

TEST_CASE("a number takes the tensor's dtype; a real one makes integers f32") {
  CHECK(lowered("aten.mul.Tensor", "i32[4]", "3", "i32[4]") == "self[i0] * i32(3)");
  CHECK(lowered("aten.mul.Tensor", "f16[4]", "2.5", "f16[4]") == "f16(f32(self[i0]) * f32(2.5))");
  CHECK(lowered("aten.mul.Tensor", "i64[4]", "2.5", "f32[4]") == "f32(self[i0]) * f32(2.5)");
  CHECK(lowered("aten.mul.Tensor", "b8[4]", "3", "i64[4]") == "i64(self[i0])*3");
}

TEST_CASE("an integer number keeps all of its 64 bits beside integers") {
  CHECK(lowered("aten.add.Scalar", "i64[4]", "9007199254740993, alpha=1", "i64[4]") == "self[i0] + 9007199254740993");
  CHECK(lowered("aten.eq.Scalar", "i64[4]", "9223372036854775807", "b8[4]") == "self[i0] == 9223372036854775807");
  CHECK(lowered("aten.rsub.Scalar", "i64[4]", "5, alpha=9007199254740993", "i64[4]") == "5 - 9007199254740993*self[i0]");
}

TEST_CASE("u8 and i8 meet in i16; bool gives way to everything") {
  CHECK(lowered("aten.mul.Tensor", "u8[4]", "i8[4]", "i16[4]") == "i16(self[i0]) * i16(other[i0])");
  CHECK(lowered("aten.mul.Tensor", "b8[4]", "f16[4]", "f16[4]") == "f16(f32(f16(self[i0])) * f32(other[i0]))");
}

TEST_CASE("true division makes integers f32") {
  CHECK(lowered("aten.div.Tensor", "i64[4]", "i64[4]", "f32[4]") == "f32(self[i0]) / f32(other[i0])");
}

TEST_CASE("products and sums of bools are and and or") {
  CHECK(lowered("aten.mul.Tensor", "b8[4]", "b8[4]", "b8[4]") == "self[i0] & other[i0]");
  CHECK(lowered("aten.maximum.default", "b8[4]", "b8[4]", "b8[4]") == "self[i0] | other[i0]");
}

TEST_CASE("a comparison is made in the promoted dtype and is bool") {
  CHECK(lowered("aten.lt.Tensor", "i64[4]", "i64[4]", "b8[4]") == "self[i0] < other[i0]");
  CHECK(lowered("aten.eq.Scalar", "f16[4]", "1", "b8[4]") == "f32(self[i0]) == f32(1)");
  CHECK(lowered("aten.ge.Scalar", "f16[4]", "1e-12", "b8[4]") == "f32(0) <= f32(self[i0])");
  CHECK(lowered("aten.eq.Scalar", "f16[4]", "0.3", "b8[4]") == "f32(self[i0]) == f32(0.30004883)");
}

}  // namespace
