#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace runtime {

/// Where a device's default generator stands; it moves on with each random number.
at::Tensor generatorState(at::Device device);

/// The random numbers that a run drew from a device's default generator.
struct DrawnNumbers {
  /// The numbers that one call drew. Coins are kept as bools.
  struct Draw {
    std::string op;  ///< `aten::bernoulli_`
    at::Tensor numbers;
  };
  std::vector<Draw> draws;  ///< in the order of the run
  std::string unknown;      ///< the first call that keeps its numbers to itself, as fused attention does; empty where none does
};
/// Carries out a run and keeps the numbers that its calls draw.
DrawnNumbers numbersDrawnBy(at::Device device, const std::function<void()>& run);

/// Carries out a run whose calls get these numbers, in the dtypes of the run, instead of their own. Returns why the results do
/// not follow from the numbers, as where the run makes other calls; empty where they do.
std::string runWithNumbers(DrawnNumbers numbers, at::Device device, const std::function<void()>& run);

}  // namespace runtime
