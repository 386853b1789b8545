#pragma once

#include <cstddef>
#include <vector>

namespace opbench::compare {

/// What a figure of the same code, or of code of which most is the same, says about the machine and about how far two runs of
/// the program lie apart: the time of the control, a contender whose code is the same in both files, or the ratio of others to
/// it. The figure's own ratio, candidate over baseline, has three parts: the machine's drift, which its neighbours in the run
/// have as well; a scatter of its own, because memory and code lie elsewhere in each process, which is larger the shorter a
/// kernel is; and the noise of the runs. The median of neighbours in the order of the run is the drift; what is left of
/// neighbours in duration says how far the same code scatters.
class Control {
 public:
  /// The number of standard deviations that hold all but one in 2,000 of a normal distribution.
  static constexpr double certain = 3.5;
  /// The share of a normal distribution that lies within one standard deviation. That quantile of sizes tells the deviation.
  /// Outliers do not move it far while they are at most a quarter of the sizes.
  static constexpr double withinDeviation = 0.6827;

  /// A change by as much, where the code is the same, makes a sample a noisy one: nothing is said of it, and it says nothing of
  /// the others, as long as there are enough.
  static constexpr double noisy = 0.1;

  struct Point {
    double order = 0;     ///< its place in the candidate's run
    double duration = 0;  ///< log of its time in the baseline
    double shift = 0;     ///< log of the figure in the candidate over that in the baseline
  };

  Control() = default;
  explicit Control(std::vector<Point> points);

  /// Samples that it has on both sides; fewer than `least` say nothing, and drift and scatter are 0.
  size_t samples() const { return inOrder_.size(); }
  static constexpr size_t least = 9;

  /// Log of how much slower the machine was in the candidate around `order`.
  double drift(double order) const;
  /// Standard deviation of the log by which such figures of the same code differ, drift apart; duration as in Point. The fewer
  /// samples tell it the less sure it is, and the larger: by as much as the ends of Student's distribution are further out than
  /// the normal one's.
  double scatter(double duration) const;
  /// Drift and scatter over all samples.
  double drift() const;
  double scatter() const;

 private:
  std::vector<Point> inOrder_;
  std::vector<Point> byDuration_;  ///< with the drift taken out of the shifts
};

}  // namespace opbench::compare
