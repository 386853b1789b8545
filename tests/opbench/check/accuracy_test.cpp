#include "opbench/check/accuracy.h"

#include <doctest/doctest.h>

#include <limits>

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

/// What is said about output 0 under the built-in tolerance of its dtype.
std::string message(const Comparison& c, Rule rule = Rule::Close) {
  const Verdict verdict = judge(c, rule, Tolerances::standard().limit({}, c.expected.dtype, c.hasReference), 0);
  CHECK(verdict.ok == verdict.message.empty());
  return verdict.message;
}

}  // namespace

TEST_CASE("close is right") { CHECK(message(good()) == ""); }

TEST_CASE("dtype, sizes and strides are eager's") {
  Comparison c = good();
  c.sameType = false;
  c.found = {DType::F32, {64, 64}, {1, 64}};
  CHECK(message(c) == "output 0 is f32[64, 64] strides (1, 64) where eager's is f32[64, 64]");
  CHECK(message(c, Rule::TypeOnly) == "output 0 is f32[64, 64] strides (1, 64) where eager's is f32[64, 64]");
}

TEST_CASE("errors are about eager's: twice in f32, hardly more where one rounding is nearly all of it") {
  CHECK(message(off(DType::F32, 2e-3, 1e-3)) == "");
  CHECK(message(off(DType::F16, 1.04e-3, 1e-3)) == "");
  CHECK(message(off(DType::F32, 3e-3, 1e-3)) ==
        "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; root mean square error 0.003, eager's 0.001, allowed 0.002");
  CHECK(message(off(DType::F16, 1.1e-3, 1e-3)) ==
        "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; root mean square error 0.0011, eager's 0.001, allowed 0.00105");
  Comparison close = off(DType::F16, 1.1e-3, 1e-3);
  close.allClose = true;
  CHECK(message(close) != "");
}

TEST_CASE("a place is named where an element is off by itself, and NaN has no sign") {
  Comparison c = off(DType::F32, 3e-3, 1e-3);
  c.worstExpected = -std::numeric_limits<double>::quiet_NaN();
  CHECK(message(c).starts_with("output 0 is wrong at [3, 17]: found 1.25, expected nan; "));
  c.worst.reset();
  CHECK(message(c) == "output 0 is wrong; root mean square error 0.003, eager's 0.001, allowed 0.002");
  c.worst.emplace();
  CHECK(message(c).starts_with("output 0 is wrong at the only element: found 1.25, "));
}

TEST_CASE("where eager has no error a few roundings of what is expected are allowed") {
  Comparison c = off(DType::F32, 0x1p-22, 0);
  c.rmsReference = 1;
  CHECK(message(c) == "");
  c.rmseFound = 0x1p-21;
  CHECK(message(c) != "");
}

TEST_CASE("elements that are wrong hide behind no huge ones") {
  Comparison c = off(DType::F32, 1e-3, 1e-3);
  c.allClose = true;
  c.rmsReference = 1e30;
  c.usualScale = 2;
  c.relativeFound = 2e-6;
  c.relativeEager = 1e-7;
  CHECK(
      message(c) ==
      "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; root mean square error relative to 1 + |expected| 2e-06, eager's "
      "1e-07, allowed 4.38e-07");
  c.relativeEager = 1e-6;
  CHECK(message(c) == "");
  c.relativeEager = 1e-7;
  c.usualScale = 1e29;  // none is huge beside the others
  CHECK(message(c) == "");
  c.usualScale = 2;
  CHECK(judge(c, Rule::Close, Tolerances::standard().limit({}, DType::F32, true, 100), 0).ok);  // sums among huge terms
}

TEST_CASE("where eager overflows its other elements say little about the error") {
  Comparison c = off(DType::F16, 4, 0);
  c.rmsReference = 15000;
  CHECK(message(c) != "");
  c.eagerOverflows = true;
  CHECK(message(c) == "");
  c.rmseFound = 400;
  CHECK(message(c) != "");
}

TEST_CASE("sums may be off by what they accumulate") {
  Comparison c = off(DType::F32, 1e-5, 1e-7);
  CHECK(message(c) != "");
  CHECK(judge(c, Rule::Close, Tolerances::standard().limit({}, DType::F32, true, 1 << 20), 0).ok);
}

TEST_CASE("a sum that cancels to nearly nothing may be as far off as the others are, whose terms are as large") {
  Comparison c = off(DType::F32, 5.2e-5, 2.6e-5);
  c.worstFound = 1.35449;
  c.worstExpected = 1.35412;
  c.worstError = 1.6e-4;
  c.worstErrorEager = 2.5e-5;
  const auto among = [&](double rms) {
    c.rmsReference = rms;
    return judge(c, Rule::Close, Tolerances::standard().limit({}, DType::F32, true, 11552), 0).ok;
  };
  CHECK(among(100));
  CHECK_FALSE(among(1));
}

TEST_CASE("no element beyond its tolerance is further off than four times eager's worst, however many others are right") {
  Comparison c = off(DType::F16, 1e-4, 1e-4);
  c.worstError = 0.1;
  c.worstErrorEager = 0.03;
  CHECK(message(c) == "");
  c.worstErrorEager = 0.02;
  CHECK(message(c) == "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; tolerance 0.001, eager's largest error 0.02");
}

TEST_CASE("a tolerance of the operator's own is all that is asked") {
  Criterion criterion;
  criterion.tolerance = 0.5;
  Comparison c = off(DType::F32, 3e-3, 1e-3);
  c.allClose = true;
  CHECK(judge(c, Rule::Close, Tolerances::standard().limit(criterion, DType::F32, true), 0).ok);
  c.allClose = false;
  CHECK(judge(c, Rule::Close, Tolerances::standard().limit(criterion, DType::F32, true), 0).message ==
        "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; tolerance 0.5");
}

TEST_CASE("without a float64 reference eager's error says nothing") {
  Comparison c = off(DType::F32, 0, 0);
  c.hasReference = false;
  CHECK(message(c) == "output 0 is wrong at [3, 17]: found 1.25, expected 1.5; tolerance 0.0002");
}

TEST_CASE("NaN and infinity stand where eager or the reference has them") {
  Comparison c = off(DType::F32, 0, 0);
  c.misplaced = 2;
  c.firstMisplaced = {{2, 9}, "nan", "1.5"};
  CHECK(message(c) ==
        "output 0 is wrong at [2, 9]: found nan, expected 1.5; 2 of 4096 elements are NaN or infinite on one side only");
}

TEST_CASE("zeros do not pass for tiny values") {
  Comparison zeros = off(DType::F32, 1e-6, 1e-13);
  zeros.allClose = true;
  zeros.cosine = 0;
  zeros.worstFound = 0;
  zeros.worstExpected = 3e-6;
  zeros.rmsReference = 1e-6;
  CHECK(message(zeros) ==
        "output 0 is wrong at [3, 17]: found 0, expected 3e-06; root mean square error 1e-06, eager's 1e-13, allowed 4.38e-13");
  zeros.rmseEager = 1e-6;  // eager loses them as well, to underflow
  CHECK(message(zeros) == "");
  zeros.hasReference = false;
  CHECK(message(zeros) ==
        "output 0 is wrong at [3, 17]: found 0, expected 3e-06; close only in absolute terms: the cosine to the reference is "
        "0.0000");
}

TEST_CASE("integers, bools and copies are equal to the last bit") {
  for (DType dtype : {DType::I64, DType::Bool, DType::U8}) {
    Comparison c = off(dtype, 0, 0);
    c.allClose = true;
    c.firstUnequal = {{2, 9}, "3", "4"};
    CHECK(message(c) == "output 0 is wrong at [2, 9]: found 3, expected 4; 12 of 4096 elements differ, all must be equal");
  }
  Comparison copy = good(DType::F16);
  CHECK(message(copy, Rule::Exact) == "");
  copy.unequal = 1;
  copy.firstUnequal = {{0, 5}, "-0", "0"};
  CHECK(message(copy, Rule::Exact) ==
        "output 0 is wrong at [0, 5]: found -0, expected 0; 1 of 4096 elements differ, all must be equal");
}

TEST_CASE("results that are random or unwritten have only their type compared") {
  CHECK(message(off(DType::F32, 9, 0), Rule::TypeOnly) == "");
}

TEST_CASE("what was compared is measured: values of the dtype, errors, the worst element") {
  Comparison c = good(DType::F16);
  c.maxUlp = 2;
  c.rmseFound = 2.05e-4;
  c.rmseEager = 2e-4;
  c.worst = {1, 2};
  const Verdict verdict = judge(c, Rule::Close, Tolerances::standard().limit({}, DType::F16, true), 3);
  REQUIRE(verdict.accuracy);
  CHECK(verdict.accuracy->output == 3);
  CHECK(verdict.accuracy->maxUlp == 2);
  CHECK(verdict.accuracy->rmse == 2.05e-4);
  CHECK(verdict.accuracy->eagerRmse == 2e-4);
  CHECK(verdict.accuracy->worst == std::vector<int64_t>{1, 2});
  CHECK_FALSE(judge(good(DType::I64), Rule::Close, {}, 0).accuracy);
}
