#include "runtime/dispatch/drawn_numbers.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <doctest/doctest.h>

#include <vector>

#include "runtime/dispatch/one_thread.h"
#include "runtime/workloads/network/step.h"

using namespace runtime;

namespace {

using Tensors = std::vector<at::Tensor>;
using Run = std::function<Tensors(at::ScalarType)>;

/// A run in f32, and one in float64 with its numbers; `whyNot` says why it has not them.
struct Pair {
  Tensors narrow, wide;
  std::string whyNot;
};

Pair runTwice(const Run& run, const Run& again) {
  const ProgramMode mode(true);
  Pair pair;
  reseedGenerator(at::kCPU);
  DrawnNumbers numbers = numbersDrawnBy(at::kCPU, [&] { pair.narrow = run(at::kFloat); });
  pair.whyNot = runWithNumbers(std::move(numbers), at::kCPU, [&] { pair.wide = again(at::kDouble); });
  return pair;
}
Pair runTwice(const Run& run) { return runTwice(run, run); }

at::Tensor ones(at::ScalarType dtype, std::vector<int64_t> sizes = {64, 8}) { return at::ones(sizes, dtype); }

}  // namespace

TEST_SUITE("drawn numbers") {
  TEST_CASE("a run in float64 has the numbers of the one in f32, in its own dtype") {
    const Pair pair = runTwice([](at::ScalarType dtype) {
      const at::Tensor x = ones(dtype);
      return Tensors{at::bernoulli(x * 0.5),
                     at::rand_like(x),
                     at::randn({5}, dtype),
                     at::normal(x, 2 * x),
                     at::empty_like(x).exponential_(2),
                     at::randint(100, {9}),
                     at::randperm(50),
                     at::multinomial(x, 5),
                     at::empty_like(x).random_(),
                     at::dropout(x, 0.25, true)};
    });
    CHECK(pair.whyNot == "");
    for (size_t i = 0; i < pair.narrow.size(); ++i) {
      CAPTURE(i);
      const at::Tensor &narrow = pair.narrow[i], &wide = pair.wide[i];
      const bool isWhole = at::isIntegralType(narrow.scalar_type(), false);
      CHECK((wide.scalar_type() == (isWhole ? at::kLong : at::kDouble)));
      CHECK(at::allclose(narrow.to(at::kDouble), wide.to(at::kDouble), 1e-6, 1e-6));
    }
  }

  TEST_CASE("dropout's output and gradient have no rounding of f32") {
    const Pair pair = runTwice([](at::ScalarType dtype) {
      const at::Tensor x = ones(dtype).requires_grad_();
      const auto [output, mask] = at::native_dropout(x, 0.3, true);
      output.sum().backward();
      return Tensors{mask, output, x.grad()};
    });
    CHECK(pair.whyNot == "");
    CHECK(pair.narrow[0].equal(pair.wide[0]));
    const at::Tensor expected = pair.narrow[0].to(at::kDouble) * (1 / 0.7);
    CHECK(pair.wide[1].equal(expected));
    CHECK(pair.wide[2].equal(expected));
  }

  TEST_CASE("a run that makes other calls has not the numbers, and why") {
    const auto drop = [](std::vector<int64_t> sizes, int times = 1) {
      return [sizes = std::move(sizes), times](at::ScalarType dtype) {
        for (int i = 0; i < times; ++i) at::dropout(ones(dtype, sizes), 0.5, true);
        return Tensors{};
      };
    };
    const auto fill = [](at::ScalarType dtype) { return Tensors{ones(dtype).uniform_()}; };
    CHECK(runTwice(drop({64, 8}), drop({8, 64})).whyNot == "its call 1 of aten::bernoulli_ is not the one that drew the numbers");
    CHECK(runTwice(drop({64, 8}), fill).whyNot == "its call 1 of aten::uniform_ is not the one that drew the numbers");
    CHECK(runTwice(drop({4}), drop({4}, 2)).whyNot == "its call 2 of aten::bernoulli_ is not the one that drew the numbers");
    CHECK(runTwice(drop({4}, 2), drop({4})).whyNot == "it draws 1 times where the numbers are those of 2");
  }

  TEST_CASE("a kernel that keeps its numbers to itself leaves no run with them") {
    const auto leak = [](at::ScalarType dtype) {
      at::Tensor noise = ones(dtype);
      return Tensors{at::rrelu_with_noise(-ones(dtype), noise, 0.1, 0.3, /*training=*/true)};
    };
    const Pair pair = runTwice(leak);
    CHECK(pair.whyNot == "aten::rrelu_with_noise draws in its kernel");
    CHECK(pair.wide.empty());
    const auto nothing = [](at::ScalarType) { return Tensors{}; };
    CHECK(runTwice(nothing, leak).whyNot == "aten::rrelu_with_noise draws in its kernel");
  }

  TEST_CASE("calls that draw nothing are left as they are") {
    const Pair pair = runTwice([](at::ScalarType dtype) {
      return Tensors{std::get<0>(at::native_dropout(ones(dtype), 0.5, false)), at::dropout(ones(dtype), 0, true)};
    });
    CHECK(pair.whyNot == "");
    for (const at::Tensor& wide : pair.wide) CHECK(wide.equal(ones(at::kDouble)));
  }
}
