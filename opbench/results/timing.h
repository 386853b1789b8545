#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/results/statistics.h"

namespace opbench {

/// The reason that the timing ended.
enum class Stop { Precision, MaxTime, Repeats, Runs };
/// `precision`, `max-time`, `repeats`, `runs`.
std::string_view name(Stop stop);
std::optional<Stop> stopFromName(std::string_view text);

/// A part of each run that is timed apart.
struct Phase {
  std::string name;          ///< `forward`
  std::vector<double> runs;  ///< in seconds, in order
};

/// The times of one contender, in seconds.
struct Timing {
  double median = 0;                  ///< of all times: single runs, or means of one run of each capture
  std::optional<Interval> interval;   ///< its 95 % interval; nothing where there are too few times for one
  double p20 = 0, p80 = 0;            ///< of all runs
  int runs = 0;                       ///< runs that count
  Histogram histogram;                ///< of these runs
  std::vector<double> rounds;         ///< the medians of the rounds, in order
  Estimate ratio{1, Interval{1, 1}};  ///< the first contender's time over this one's, time by time, where both are more than 0
  std::vector<Phase> phases;          ///< in order; none where runs have none

  /// Whether it says how long the contender takes. A time that is the difference of two (Measure::BackToBack) does not, where
  /// something disturbs the device so much that 0 is in its interval.
  bool isMeasured() const { return (interval ? interval->low : median) > 0; }
};

/// The timings of contenders that raced, and the conditions under which they were taken.
struct Measurement {
  std::vector<Timing> timings;  ///< by contender
  Stop stopped = Stop::Precision;
  int dropped = 0;              ///< runs of each contender that do not count because the clock was throttled
  bool isThrottled = false;     ///< all were: they count after all
  int interruptions = 0;        ///< runs, of all contenders, that other programs interrupted
  bool isDisturbed = false;     ///< hardly any turn was without: interrupted ones count after all
  std::optional<double> clock;  ///< median SM clock in Hz; nothing on a CPU
};

/// Runs that reports of models take together: Hugging Face's time is the least mean of such a round.
inline constexpr int64_t runsOfRound = 10;

}  // namespace opbench
