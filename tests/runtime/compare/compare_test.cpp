#include <ATen/ops/complex.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "runtime/build/nvrtc.h"
#include "runtime/compare/tally.h"
#include "runtime/torch/state.h"
#include "runtime/torch/tensor_list.h"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

at::Tensor tensorOf(std::vector<double> values, at::ScalarType type = at::kFloat) {
  at::Tensor tensor = at::empty({static_cast<int64_t>(values.size())}, at::kDouble);
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<double>());
  return tensor.to(type);
}

runtime::Comparison compare(const at::Tensor& found, const at::Tensor& eager, const at::Tensor& reference,
                            double tolerance = 1e-4, double leastError = 0) {
  const auto list = [](const at::Tensor& tensor) {
    return tensor.defined() ? runtime::makeTensorList({tensor}) : runtime::TensorList();
  };
  return runtime::compare(list(found), list(eager), list(reference), 0, tolerance, leastError);
}

}  // namespace

TEST_CASE("equal outputs are close, with the error of both against float64") {
  const at::Tensor reference = tensorOf({1, 2, 3.0001}, at::kDouble);
  const auto c = compare(tensorOf({1, 2, 3}), tensorOf({1, 2, 3}), reference);
  CHECK(c.sameType);
  CHECK(c.numel == 3);
  CHECK(c.unequal == 0);
  CHECK(c.allClose);
  CHECK(c.hasReference);
  CHECK(c.misplaced == 0);
  CHECK(c.rmseFound == doctest::Approx(1e-4 / std::sqrt(3)));
  CHECK(c.rmseFound == c.rmseEager);
  CHECK(c.cosine == doctest::Approx(1));
}

TEST_CASE("elements count the same in a block of numbers as beside something special") {
  constexpr int64_t numel = 2000, special = 700;  // of several blocks, the last one not whole
  std::vector<double> reference(numel), found(numel), eager(numel);
  for (int64_t i = 0; i < numel; ++i) {
    reference[i] = std::sin(static_cast<double>(i)) * 10;
    found[i] = reference[i] + (i % 7 == 3 ? 1e-2 * std::cos(static_cast<double>(i)) : 0);
    eager[i] = reference[i] + (i % 5 == 2 ? 2e-2 * std::cos(static_cast<double>(i)) : 0);
  }
  found[1234] = reference[1234] + 3;  // the worst
  const auto compared = [&](double value, at::ScalarType type) {
    reference[special] = found[special] = eager[special] = value;
    return compare(tensorOf(found, type), tensorOf(eager, type), tensorOf(reference, at::kDouble), 1e-3, 1e-4);
  };
  for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kDouble}) {
    const auto block = compared(0, type), single = compared(infinity, type);
    CHECK(block.unequal == single.unequal);
    CHECK(block.firstUnequal->index == single.firstUnequal->index);
    CHECK(block.worst == std::vector<int64_t>{1234});
    CHECK(single.worst == block.worst);
    CHECK(single.worstError == doctest::Approx(block.worstError));
    CHECK(single.worstErrorEager == doctest::Approx(block.worstErrorEager));
    CHECK(single.worstFound == block.worstFound);
    CHECK(single.maxUlp == block.maxUlp);
    const double more = std::sqrt(static_cast<double>(numel) / (numel - 1));  // the special element counts in one of them
    CHECK(single.rmseFound == doctest::Approx(block.rmseFound * more));
    CHECK(single.rmseEager == doctest::Approx(block.rmseEager * more));
    CHECK(single.relativeFound == doctest::Approx(block.relativeFound * more));
    CHECK(single.relativeEager == doctest::Approx(block.relativeEager * more));
    CHECK(single.rmsReference == doctest::Approx(block.rmsReference * more));
    CHECK(single.cosine == doctest::Approx(block.cosine));
    CHECK(!block.allClose);
  }
}

TEST_CASE("errors are also relative to 1 + |expected|: no huge element is all that counts") {
  const at::Tensor reference = tensorOf({1e30, 1, 0, infinity}, at::kDouble);
  const auto c =
      compare(tensorOf({1.5e30, 1, 0.75, infinity}, at::kDouble), tensorOf({1e30, 0.5, 0, infinity}, at::kDouble), reference);
  CHECK(c.relativeFound == doctest::Approx(std::sqrt((0.25 + 0.75 * 0.75) / 3)));
  CHECK(c.relativeEager == doctest::Approx(std::sqrt(0.0625 / 3)));
  CHECK(c.usualScale == doctest::Approx(3 / 1.5));
}

TEST_CASE("the worst element may be asked for among those that are off by more than so much") {
  const at::Tensor found = tensorOf({0.5, 11, 8, 3}), expected = tensorOf({0, 10, 10, 3});
  const auto worst = [&](double leastError) { return compare(found, expected, {}, 1e-4, leastError).worst; };
  CHECK(worst(0) == std::vector<int64_t>{0});
  CHECK(worst(0.6) == std::vector<int64_t>{2});
  CHECK_FALSE(worst(2));
}

TEST_CASE("types must be equal, strides included") {
  const at::Tensor eager = at::full({2, 3}, 1.0);
  CHECK_FALSE(compare(at::full({3, 2}, 1.0).t(), eager, {}).sameType);
  CHECK_FALSE(compare(eager.to(at::kHalf), eager, {}).sameType);
  CHECK(compare(eager.clone(), eager, {}).sameType);
}

TEST_CASE("the element furthest off is named by its index, whatever the strides") {
  const at::Tensor eager = at::linspace(1, 24, 24).reshape({2, 4, 3}).permute({0, 2, 1});
  at::Tensor found = eager.clone();
  REQUIRE(found.strides() == eager.strides());
  found[1][2][3] = 100;
  found[0][0][0] = 1.5;
  const auto c = compare(found, eager, {});
  CHECK_FALSE(c.hasReference);
  CHECK(c.unequal == 2);
  CHECK_FALSE(c.allClose);
  CHECK(c.worst == std::vector<int64_t>{1, 2, 3});
  CHECK(c.worstFound == 100);
  CHECK(c.worstExpected == 24);
}

TEST_CASE("the first element that is not eager's is named with all its digits, whatever is furthest off") {
  const at::Tensor eager = at::full({2, 4}, int64_t{1} << 60, at::kLong);
  at::Tensor found = eager.clone();
  CHECK_FALSE(compare(found, eager, {}).firstUnequal);
  found[1][2] = (int64_t{1} << 60) + 1;  // the same as a double
  const auto wide = compare(found, eager, {}).firstUnequal;
  REQUIRE(wide);
  CHECK(wide->index == std::vector<int64_t>{1, 2});
  CHECK(wide->found == "1152921504606846977");
  CHECK(wide->expected == "1152921504606846976");
  const auto zero = compare(tensorOf({7, -0.0, 1}), tensorOf({7, 0.0, 1}), tensorOf({9, 0.0, 1}, at::kDouble)).firstUnequal;
  REQUIRE(zero);
  CHECK(zero->index == std::vector<int64_t>{1});
  CHECK(zero->found == "-0");
  CHECK(zero->expected == "0");
  CHECK(compare(tensorOf({-notANumber}), tensorOf({0.1}), {}).firstUnequal->found == "nan");
}

TEST_CASE("NaN and infinity must stand where they do in eager or in the reference") {
  CHECK(compare(tensorOf({notANumber, infinity, 1}), tensorOf({notANumber, infinity, 1}),
                tensorOf({notANumber, infinity, 1}, at::kDouble))
            .allClose);
  CHECK(compare(tensorOf({notANumber, infinity, 1}), tensorOf({notANumber, infinity, 1}), {}).unequal == 0);
  const auto poison = compare(tensorOf({notANumber, 2}), tensorOf({1, 2}), tensorOf({1, 2}, at::kDouble));
  CHECK(poison.misplaced == 1);
  CHECK_FALSE(poison.allClose);
  CHECK(poison.worst == std::vector<int64_t>{0});
  CHECK(compare(tensorOf({1, 2}), tensorOf({notANumber, 2}), tensorOf({notANumber, 2}, at::kDouble)).misplaced == 1);
  CHECK(compare(tensorOf({-infinity}), tensorOf({infinity}), tensorOf({infinity}, at::kDouble)).misplaced == 1);
  CHECK(compare(tensorOf({1, 2}), tensorOf({notANumber, 2}), tensorOf({1, 2}, at::kDouble)).misplaced == 0);  // better than eager
}

TEST_CASE("a misplaced NaN is named, not an overflow of eager's before it") {
  const at::Tensor eager = tensorOf({infinity, 1}), found = tensorOf({infinity, -notANumber});
  const auto first = compare(found, eager, tensorOf({3e38, 1}, at::kDouble)).firstMisplaced;
  REQUIRE(first);
  CHECK(first->index == std::vector<int64_t>{1});
  CHECK(first->found == "nan");
  CHECK(first->expected == "1");
  CHECK_FALSE(compare(eager, eager, {}).firstMisplaced);
}

TEST_CASE("zeros of different signs are close, but not equal") {
  const auto c = compare(tensorOf({0.0, -0.0, 1}), tensorOf({0.0, 0.0, 1}), tensorOf({0.0, 0.0, 1}, at::kDouble));
  CHECK(c.unequal == 1);
  CHECK(c.allClose);
  CHECK(c.worst == std::vector<int64_t>{1});
  CHECK(std::signbit(c.worstFound));
}

TEST_CASE("a reference that the dtype cannot hold counts as infinite") {
  const auto c =
      compare(tensorOf({infinity, 1}, at::kHalf), tensorOf({infinity, 1}, at::kHalf), tensorOf({70000, 1}, at::kDouble));
  CHECK(c.allClose);
  CHECK(c.misplaced == 0);
  CHECK(c.rmseFound == 0);
}

TEST_CASE("between the largest number and the threshold of overflow either is right") {
  const at::Tensor reference = tensorOf({65519.99, -65520.01, 1}, at::kDouble);
  const at::Tensor largest = tensorOf({65504, -65504, 1}, at::kHalf), infinite = tensorOf({infinity, -infinity, 1}, at::kHalf);
  for (const auto& [found, eager] : {std::pair{infinite, largest}, std::pair{largest, infinite}}) {
    const auto c = compare(found, eager, reference, 1e-3);
    CHECK(c.misplaced == 0);
    CHECK(c.allClose);
  }
  CHECK_FALSE(compare(tensorOf({-infinity, -65504, 1}, at::kHalf), largest, reference, 1e-3).allClose);
  CHECK(compare(infinite, largest, tensorOf({65480, -65480, 1}, at::kDouble)).misplaced == 2);
}

TEST_CASE("near the threshold of overflow a result may be off by what the tolerance allows, on either side") {
  constexpr double tolerance = 1e-3;
  const at::Tensor infinite = tensorOf({infinity}, at::kHalf), largest = tensorOf({65504}, at::kHalf);
  CHECK(compare(infinite, largest, tensorOf({65480}, at::kDouble), tolerance).misplaced == 0);
  CHECK(compare(largest, infinite, tensorOf({65540}, at::kDouble), tolerance).misplaced == 0);
  CHECK(compare(infinite, largest, tensorOf({65000}, at::kDouble), tolerance).misplaced == 1);
}

TEST_CASE("where values on eager's way overflow, nothing tells what is right, and other elements are judged") {
  const at::Tensor reference = tensorOf({1e6, 2, -3, 4}, at::kDouble);
  const at::Tensor eager = tensorOf({notANumber, 2, -infinity, 4});
  for (const double found : {notANumber, infinity, 1e6, 0.0}) {
    const auto c = compare(tensorOf({found, 2, 7, 4}), eager, reference);
    CHECK(c.eagerOverflows);
    CHECK(c.allClose);
    CHECK(c.misplaced == 0);
    CHECK(c.rmseFound == 0);
    CHECK(c.worstErrorEager == 0);
  }
  const auto ofHalves = [](double eager, double found) {  // of a sum that no half holds
    return compare(tensorOf({found}, at::kHalf), tensorOf({eager}, at::kHalf), tensorOf({-2e5}, at::kDouble)).misplaced;
  };
  CHECK(ofHalves(notANumber, infinity) == 0);
  CHECK(ofHalves(infinity, 7) == 0);
  CHECK(ofHalves(-infinity, infinity) == 1);
  const auto c = compare(tensorOf({0, 2.5, 0, notANumber}), eager, reference);
  CHECK(c.misplaced == 1);
  CHECK(c.firstMisplaced->index == std::vector<int64_t>{3});
  CHECK_FALSE(c.allClose);
  CHECK(c.rmseFound == 0.5);
}

TEST_CASE("integers and bools are compared with eager, to the last bit") {
  const at::Tensor big = at::full({3}, (int64_t{1} << 60) + 1, at::kLong);
  at::Tensor offByOne = big.clone();
  offByOne[1] = int64_t{1} << 60;
  const auto c = compare(offByOne, big, big.to(at::kDouble));
  CHECK(c.unequal == 1);
  CHECK_FALSE(c.hasReference);
  CHECK(compare(big.clone(), big, {}).unequal == 0);
  CHECK(compare(tensorOf({0, 1}, at::kBool), tensorOf({1, 1}, at::kBool), {}).unequal == 1);
}

TEST_CASE("complex numbers are pairs of reals") {
  const at::Tensor eager = at::complex(tensorOf({1, 2}), tensorOf({3, 4}));
  const auto c = compare(at::complex(tensorOf({1, 2}), tensorOf({3, 5})), eager, eager.to(at::kComplexDouble));
  CHECK(c.hasReference);
  CHECK(c.unequal == 1);
  CHECK(c.worst == std::vector<int64_t>{1, 1});
}

TEST_CASE("empty outputs and ranks of zero") {
  CHECK(compare(at::empty({0, 3}), at::empty({0, 3}), {}).allClose);
  CHECK(compare(at::full({}, 2.0), at::full({}, 2.0), {}).allClose);
}

TEST_CASE("the kernel that compares tensors on a GPU compiles for GPUs of all kinds") {
  const runtime::Nvrtc nvrtc;
  for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"})
    CHECK_FALSE(nvrtc.compile(runtime::tallyProgram(arch), runtime::Cache()).cubin.empty());
}

TEST_CASE("errors are counted in values of the dtype between the result and the rounded reference") {
  const auto ulps = [](double found, double reference, at::ScalarType type) {
    return compare(tensorOf({1, found}, type), tensorOf({1, reference}, type), tensorOf({1, reference}, at::kDouble)).maxUlp;
  };
  CHECK(ulps(1, 1, at::kHalf) == 0);
  CHECK(ulps(1 + 0x1p-10, 1, at::kHalf) == 1);
  CHECK(ulps(1 - 0x1p-11, 1, at::kHalf) == 1);
  CHECK(ulps(1, 1.0001, at::kHalf) == 0);
  CHECK(ulps(-0.0, 0.0, at::kFloat) == 0);
  CHECK(ulps(-0x1p-149, 0x1p-149, at::kFloat) == 2);
  CHECK(ulps(2, 1, at::kBFloat16) == 128);
  CHECK(ulps(-1e300, 1e300, at::kDouble) > 1e19);
  CHECK(ulps(infinity, 1, at::kFloat) == 0);  // is misplaced, not far
  CHECK(ulps(3, 5, at::kLong) == 0);
}

TEST_CASE("bytes of a Bool that are neither 0 nor 1 are wrong") {
  const at::Tensor expected = tensorOf({0, 1, 1}, at::kBool);
  at::Tensor found = expected.clone();
  found.view(at::kByte)[2].fill_(0xa5);
  CHECK(compare(found, expected, {}).unequal == 1);
}
