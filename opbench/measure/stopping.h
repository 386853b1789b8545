#pragma once

#include <cstddef>
#include <vector>

namespace opbench {

/// Tells when timing has found speedups as precisely as was asked for. An interval that is looked at after every round is narrow
/// by chance at some time, too early: so it is looked at rarely, and each time there are half as many values more.
class StoppingRule {
 public:
  /// As many values of a series are found before its interval is looked at.
  static constexpr size_t least = 25;

  /// `precision`: the width of a 95 % interval, as a share of its median.
  explicit StoppingRule(double precision) : precision_(precision) {}

  /// Whether the interval of every series is narrower than that. It is asked after each round with all values so far.
  bool isPrecise(const std::vector<std::vector<double>>& series);

 private:
  double precision_;
  size_t next_ = least;  ///< values at which the intervals are looked at again
};

}  // namespace opbench
