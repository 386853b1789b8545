// Results compared by the kernel that does so on a GPU, beside the host's way.
#include <ATen/ops/linspace.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "runtime/compare/tally.h"
#include "tests/gpu/gpu.h"

namespace {

runtime::Tally onGpu(const runtime::Compared& operands) {
  const at::Device device(tests::gpu().torchName());
  return runtime::tallyOnDevice({operands.found.to(device), operands.eager.to(device), operands.reference.to(device),
                                 operands.tolerance, operands.leastError});
}

/// The same elements but for a few, which are other ones.
at::Tensor nearly(const at::Tensor& tensor) {
  at::Tensor other = tensor.clone();
  for (const int64_t place : {3, 700, 4001}) other[place] = tensor[place + 1];
  return other;
}

TEST_CASE("a GPU counts what the host counts, over several chunks") {
  tests::gpu();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
  const int64_t numel = (int64_t{1} << 17) + 77;
  const at::Tensor eager = at::linspace(-3, 5, numel).to(at::kHalf);
  at::Tensor found = eager.clone();
  found[70000] = 9;
  found[131000] = infinity;
  found[5] = notANumber;
  at::Tensor reference = at::linspace(-3, 5, numel, at::kDouble);
  found[7] = -infinity;  // f16 ends there
  eager[7] = -65504;
  reference[7] = -65510;
  eager[9] = infinity;  // is lost
  found[9] = notANumber;
  const runtime::Compared operands{found, eager, reference, 1e-3};
  const runtime::Tally host = runtime::tallyOnHost(operands);
  const runtime::Tally device = onGpu(operands);
  CHECK(host.unequal == 5);
  CHECK(host.lost == 1);
  CHECK(host.lost == device.lost);
  CHECK(host.unequal == device.unequal);
  CHECK(host.firstUnequal == device.firstUnequal);
  CHECK(host.notClose == device.notClose);
  CHECK(host.misplaced == 2);
  CHECK(host.misplaced == device.misplaced);
  CHECK(host.firstMisplaced == 5);
  CHECK(host.firstMisplaced == device.firstMisplaced);
  CHECK(host.countFound == numel - 3);
  CHECK(host.countFound == device.countFound);
  CHECK(host.countEager == device.countEager);
  CHECK(host.worst == 5);
  CHECK(host.worst == device.worst);
  CHECK(host.squaresFound == doctest::Approx(device.squaresFound));
  CHECK(host.squaresEager == doctest::Approx(device.squaresEager));
  CHECK(host.shares == doctest::Approx(device.shares));
  CHECK(host.relativeFound == doctest::Approx(device.relativeFound));
  CHECK(host.relativeEager == doctest::Approx(device.relativeEager));
  CHECK(host.dot == doctest::Approx(device.dot));
  CHECK(host.normReference == doctest::Approx(device.normReference));
  CHECK(host.worstErrorEager == doctest::Approx(device.worstErrorEager));
  CHECK(host.maxUlp == device.maxUlp);
}

TEST_CASE("a GPU counts what the host counts, whatever the dtype is") {
  constexpr int64_t numel = 5003;
  const std::vector<at::ScalarType> floating{at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kFloat8_e4m3fn};
  const std::vector<at::ScalarType> integers{at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kUInt16, at::kUInt32};
  const auto agree = [](const runtime::Compared& operands) {
    const runtime::Tally host = runtime::tallyOnHost(operands), device = onGpu(operands);
    CAPTURE(operands.found.scalar_type());
    CHECK(host.unequal > 0);
    CHECK(host.unequal == device.unequal);
    CHECK(host.firstUnequal == device.firstUnequal);
    CHECK(host.notClose == device.notClose);
    CHECK(host.misplaced == device.misplaced);
    CHECK(host.worst == device.worst);
    CHECK(host.worstFound == device.worstFound);
    CHECK(host.worstExpected == device.worstExpected);
    CHECK(host.worstError == doctest::Approx(device.worstError));
    CHECK(host.squaresFound == doctest::Approx(device.squaresFound));
    CHECK(host.squaresEager == doctest::Approx(device.squaresEager));
    CHECK(host.dot == doctest::Approx(device.dot));
    CHECK(host.maxUlp == device.maxUlp);
  };
  for (const at::ScalarType type : floating) {
    const at::Tensor reference = at::randn({numel}, at::kDouble), eager = reference.to(type);
    agree({nearly(eager.to(at::kDouble)).to(type), eager, reference, 1e-3});
  }
  for (const at::ScalarType type : integers) {
    const at::Tensor eager = at::randint(0, 100, {numel}, at::kLong);
    agree({nearly(eager).to(type), eager.to(type), eager.to(type), 0});
  }
}

TEST_CASE("a GPU tells integers apart that are one double") {
  const at::Tensor eager = at::randint(0, 100, {5003}, at::kLong).add(int64_t{1} << 60);
  at::Tensor found = eager.clone();
  found[4711] = found[4711].add(1);
  const runtime::Tally tally = onGpu({found, eager, eager, 0});
  CHECK(tally.unequal == 1);
  CHECK(tally.firstUnequal == 4711);
}

}  // namespace
