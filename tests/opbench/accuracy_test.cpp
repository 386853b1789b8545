#include "opbench/accuracy.h"

#include <doctest/doctest.h>

using namespace opbench;
using ir::DType;
using ir::TensorType;
using runtime::Comparison;

namespace {

/// A comparison that passes: 4096 elements of a dtype, close to a float64 reference.
Comparison good(DType dtype = DType::F32) {
  Comparison c;
  c.expected = c.found = TensorType::contiguous(dtype, {64, 64});
  c.sameType = true;
  c.numel = 4096;
  c.allClose = true;
  c.hasReference = true;
  return c;
}

/// The same with an element far off and errors of a given size.
Comparison off(DType dtype, double rmseFound, double rmseEager) {
  Comparison c = good(dtype);
  c.allClose = false;
  c.unequal = 12;
  c.worst = {3, 17};
  c.worstFound = 1.25;
  c.worstExpected = 1.5;
  c.rmseFound = rmseFound;
  c.rmseEager = rmseEager;
  return c;
}

std::string message(const Comparison& c, Rule rule = Rule::Close) {
  const Verdict verdict = judge(c, rule, 0);
  CHECK(verdict.ok == verdict.message.empty());
  return verdict.message;
}

}  // namespace

TEST_CASE("tolerances by dtype, doubled where eager itself is the reference") {
  CHECK(tolerance(DType::F64, true) == 1e-7);
  CHECK(tolerance(DType::F32, true) == 1e-4);
  CHECK(tolerance(DType::F16, true) == 1e-3);
  CHECK(tolerance(DType::BF16, true) == 1e-2);
  CHECK(tolerance(DType::F8E4M3, true) == 0.07);
  CHECK(tolerance(DType::F8E5M2, true) == 0.13);
  CHECK(tolerance(DType::I64, true) == 0);
  CHECK(tolerance(DType::F16, false) == 2e-3);
}

TEST_CASE("close is right") { CHECK(message(good()) == ""); }

TEST_CASE("dtype, sizes and strides are eager's") {
  Comparison c = good();
  c.sameType = false;
  c.found = {DType::F32, {64, 64}, {1, 64}};
  CHECK(message(c) == "output 0 is f32[64, 64] strides (1, 64) where eager's is f32[64, 64]");
  CHECK(message(c, Rule::TypeOnly) == "output 0 is f32[64, 64] strides (1, 64) where eager's is f32[64, 64]");
}

TEST_CASE("what is not close is right as long as its error is about eager's") {
  CHECK(message(off(DType::F32, 2e-3, 1e-3)) == "");
  CHECK(message(off(DType::F16, 3e-3, 1e-3)) == "");
  CHECK(message(off(DType::F32, 3e-3, 1e-3)) ==
        "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; root mean square error 0.003, eager's 0.001, tolerance 0.0001");
}

TEST_CASE("small tensors may err three times as much as eager") {
  Comparison c = off(DType::F32, 3e-3, 1e-3);
  c.numel = 999;
  CHECK(message(c) == "");
}

TEST_CASE("without a float64 reference eager's error says nothing") {
  Comparison c = off(DType::F32, 0, 0);
  c.hasReference = false;
  CHECK(message(c) ==
        "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; root mean square error 0, eager's 0, tolerance 0.0002");
}

TEST_CASE("NaN and infinity stand where eager or the reference has them") {
  Comparison c = off(DType::F32, 0, 0);
  c.misplaced = 2;
  CHECK(message(c) ==
        "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; 2 of 4096 elements are NaN or infinite on one side only");
}

TEST_CASE("zeros do not pass for tiny values") {
  Comparison zeros = off(DType::F32, 1e-6, 1e-13);
  zeros.allClose = true;
  zeros.cosine = 0;
  zeros.worstFound = 0;
  zeros.worstExpected = 3e-6;
  CHECK(message(zeros) ==
        "output 0 is wrong at [3, 17]: found 0, expected 3e-06; close only in absolute terms: the cosine to the reference is "
        "0.0000");
  zeros.rmseEager = 1e-6;  // eager loses them as well, to underflow
  CHECK(message(zeros) == "");
}

TEST_CASE("integers, bools and copies are equal to the last bit") {
  for (DType dtype : {DType::I64, DType::Bool, DType::U8}) {
    Comparison c = off(dtype, 0, 0);
    c.allClose = true;
    CHECK(message(c) ==
          "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; 12 of 4096 elements differ, which must be equal");
  }
  Comparison copy = good(DType::F16);
  CHECK(message(copy, Rule::Exact) == "");
  copy.unequal = 1;
  CHECK(message(copy, Rule::Exact) ==
        "output 0 is wrong at the only element: found 0, expected 0; 1 of 4096 elements differ, which must be equal");
}

TEST_CASE("results that are random or unwritten have only their type compared") {
  CHECK(message(off(DType::F32, 9, 0), Rule::TypeOnly) == "");
}

TEST_CASE("the rule follows from the operator, in place or not") {
  CHECK(ruleFor("aten.add.Tensor") == Rule::Close);
  CHECK(ruleFor("aten.relu_.default") == Rule::Close);
  CHECK(ruleFor("aten.clone.default") == Rule::Exact);
  CHECK(ruleFor("aten.copy_.default") == Rule::Exact);
  CHECK(ruleFor("aten._to_copy.default") == Rule::Exact);
  CHECK(ruleFor("aten._unsafe_view.default") == Rule::Exact);
  CHECK(ruleFor("aten.masked_fill_.Scalar") == Rule::Exact);
  CHECK(ruleFor("aten.bernoulli_.float") == Rule::TypeOnly);
  CHECK(ruleFor("aten.new_empty_strided.default") == Rule::TypeOnly);
}
