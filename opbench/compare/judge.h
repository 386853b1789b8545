#pragma once

#include <optional>

#include "opbench/results/record.h"

namespace opbench::compare {

constexpr double leastGap = 0.005;  ///< the least change that counts, as in nvbench

/// A measured figure and the interval it lies in, as natural logarithms: ratios are differences.
struct Figure {
  double centre = 0, low = 0, high = 0;
};

Figure figureOf(double value, const Interval& interval);
/// The figure times a factor, given as its logarithm.
Figure scaled(const Figure& figure, double logFactor);
/// One over the figure.
Figure inverse(const Figure& figure);

/// The same figure in the baseline and in the candidate.
struct Pair {
  Figure base, candidate;
  double least = 0;    ///< log of the least factor that counts
  double scatter = 0;  ///< standard deviation of the log by which the same code's figure differs between two runs of the program

  /// Log of the factor beyond which 0.1 % of such figures of the same code lie; no less than the least.
  double gap() const;
};

/// The evidence on a contender and a sample; all but `time` may be missing.
struct Evidence {
  Pair time;
  std::optional<Pair> cycles;            ///< time in clocks of the SM
  std::optional<Pair> paired;            ///< time over the control's, run by run
  std::optional<Pair> secondary;         ///< time by the secondary measure, without the machine's drift
  std::optional<double> secondaryShift;  ///< log of candidate over baseline by the secondary measure
  double drift = 0;                      ///< log of how much slower the machine is in the candidate
  bool isDisturbed = false;              ///< other programs interrupted nearly all runs of one of the two
  bool isNoisy = false;                  ///< the control's time, or this one's from run to run, differs by a tenth or more
  bool isUnknown = false;                ///< one of the two has too few runs for an interval
  bool isFew = false;                    ///< too few samples have a control to tell how far the same code scatters on a CPU
  bool isCoarse = false;                 ///< whether the intervals belong to single runs, not to their medians
};

enum class Change { Faster, Slower, Same, Ambiguous };

/// Why a change is ambiguous.
enum class Ambiguity {
  None,
  Gap,    ///< the intervals are apart, by less than the gap
  Noise,  ///< the intervals overlap though the medians differ, or are too wide to tell, or the sample is noisy
  Drift,  ///< the machine changed as much, or scatters by as much
  Clock,  ///< in cycles nothing changed: the clock did
  Few,    ///< too few samples tell how far the same code scatters, for a change of this size
};

struct Judgement {
  Change change = Change::Same;
  Ambiguity ambiguity = Ambiguity::None;
  Pair basis;  ///< the figures that gave the verdict: the time, the time over the control's, or the mean of this and the
               ///< secondary time
};

/// Slower, if the candidate's whole interval lies above the baseline's by more than the gap. Where a control ran in turn with it
/// this is asked of the time over the control's, which is free of influences on both: clocks, temperature, other programs, and
/// where the data lie in memory. Where there is a secondary measure, which the control has no part in, the mean of both is asked:
/// it must lie beyond its gap, and each of both must have moved by half as much. Two measures that scatter independently tell a
/// change that neither tells alone.
///
/// Where the ratio alone is clear, the time itself, without the machine's drift, must have moved the same way, by half as much
/// and by more than half of the scatter of the same code's time: else the ratio may have moved because the control did.
///
/// Where the ratio is not clear and the time is, without the drift and beyond what is known to scatter, the ratio need but have
/// followed by half: the control's own scatter is in it, too.
///
/// Where no control ran it is asked of the time; the same must hold in cycles, where clocks are known (a time that grew because
/// the clock fell says nothing of the code), and once the machine's drift is taken out.
///
/// Nothing is slower whose runs other programs interrupted, that is noisy, or of which no interval is known. Where too few
/// samples tell a CPU's scatter it is slower by a fifth at least, and by the secondary measure by a tenth.
///
/// Faster is the mirror image. Same, if the medians differ by no more than the gap, with and without the drift, and the intervals
/// are narrow enough that a change of 5 % would have shown. All else is ambiguous, for a reason. (After nvbench's compare-robust,
/// docs/nvbench_compare_robust.md, whose clear gap of 0.5 % is the least here too.)
Judgement judge(const Evidence& evidence);

/// The ratio of the candidate over the baseline, and its 95 % interval from both intervals and the scatter; no logarithms.
double ratio(const Pair& pair);
Interval ratioInterval(const Pair& pair);

}  // namespace opbench::compare
