#pragma once

#include <cstddef>
#include <vector>

namespace opbench {

/// Tells when timing has found speedups as precisely as was asked for. An interval that is looked at after every round is narrow
/// by chance at some time, too early: so it is looked at rarely, and each time there are half as many values more.
class StoppingRule {
 public:
  /// As many runs are timed, and as many values of a series are found, before its interval is looked at.
  static constexpr size_t leastRuns = 25, leastValues = 12;

  /// Whether the interval of every series, of 95 %, is narrower than `precision`, a share of its median. It is asked after each
  /// round with all values so far; a value is the mean of `runsOfValue` runs.
  bool isPrecise(const std::vector<std::vector<double>>& series, int runsOfValue, double precision);

 private:
  size_t next_ = leastValues;  ///< values at which the intervals are looked at again
};

}  // namespace opbench
