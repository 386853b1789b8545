#include "ir/dtype.h"

#include <doctest/doctest.h>

#include <vector>

#include "ir/error.h"

using ir::DType;

namespace {

std::vector<DType> allDTypes() {
  std::vector<DType> all;
  for (int i = 0; i < ir::dtypeCount; ++i) all.push_back(static_cast<DType>(i));
  return all;
}

}  // namespace

TEST_CASE("a dtype is found by its code and by ATen's name") {
  for (DType dtype : allDTypes()) {
    CHECK(ir::dtypeFromName(ir::name(dtype)) == dtype);
    CHECK(ir::dtypeFromTorchName(ir::torchName(dtype)) == dtype);
  }
  CHECK(ir::name(DType::F8E4M3) == "f8e4m3");
  CHECK(ir::torchName(DType::F8E4M3) == "float8_e4m3fn");
  CHECK(ir::dtypeFromTorchName("half") == DType::F16);
  CHECK(ir::dtypeFromTorchName("float") == DType::F32);
  CHECK(ir::dtypeFromTorchName("double") == DType::F64);
  CHECK(ir::dtypeFromTorchName("long") == DType::I64);
  CHECK(ir::dtypeFromTorchName("cfloat") == DType::C64);
  CHECK_FALSE(ir::dtypeFromName("float16"));
  CHECK_FALSE(ir::dtypeFromTorchName("f16"));
  CHECK_FALSE(ir::dtypeFromTorchName(""));
}

TEST_CASE("every dtype is of one category") {
  for (DType dtype : allDTypes()) {
    CAPTURE(ir::name(dtype));
    CHECK((dtype == DType::Bool) + ir::isIntegral(dtype) + ir::isFloating(dtype) + ir::isComplex(dtype) == 1);
  }
  CHECK(ir::isSigned(DType::I8));
  CHECK(ir::isSigned(DType::BF16));
  CHECK_FALSE(ir::isSigned(DType::U64));
  CHECK_FALSE(ir::isSigned(DType::Bool));
  CHECK(ir::sizeOf(DType::F8E5M2) == 1);
  CHECK(ir::sizeOf(DType::C32) == 4);
  CHECK(ir::sizeOf(DType::C128) == 16);
}

TEST_CASE("low precision computes in f32") {
  for (DType dtype : {DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2}) {
    CHECK(ir::isLowPrecision(dtype));
    CHECK(ir::opmath(dtype) == DType::F32);
  }
  CHECK(ir::opmath(DType::C32) == DType::C64);
  CHECK(ir::opmath(DType::I8) == DType::I8);
  CHECK(ir::opmath(DType::F64) == DType::F64);
}

TEST_CASE("promotion is ATen's") {
  struct Row {
    DType a, b, promoted;
  };
  const Row rows[] = {
      {DType::Bool, DType::Bool, DType::Bool}, {DType::Bool, DType::U8, DType::U8},   {DType::U8, DType::I8, DType::I16},
      {DType::U8, DType::I32, DType::I32},     {DType::I16, DType::I64, DType::I64},  {DType::I64, DType::F16, DType::F16},
      {DType::F16, DType::BF16, DType::F32},   {DType::F16, DType::F32, DType::F32},  {DType::BF16, DType::F64, DType::F64},
      {DType::F32, DType::C32, DType::C64},    {DType::F64, DType::C64, DType::C128}, {DType::F16, DType::C32, DType::C32},
      {DType::BF16, DType::C32, DType::C64},   {DType::I64, DType::C32, DType::C32},  {DType::U16, DType::F16, DType::F16},
  };
  for (const Row& row : rows) {
    CAPTURE(ir::name(row.a));
    CAPTURE(ir::name(row.b));
    CHECK(ir::promote(row.a, row.b) == row.promoted);
    CHECK(ir::promote(row.b, row.a) == row.promoted);
  }
}

TEST_CASE("what ATen refuses to promote is unsupported") {
  CHECK_THROWS_WITH_AS(ir::promote(DType::F8E4M3, DType::F32), "ATen does not promote float8_e4m3fn with float32", ir::Error);
  CHECK_THROWS_WITH_AS(ir::promote(DType::I64, DType::U16), "ATen does not promote uint16 with int64", ir::Error);
  CHECK(ir::promote(DType::U16, DType::U16) == DType::U16);
}
