#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/measure/audit.h"
#include "opbench/measure/statistics.h"
#include "runtime/device.h"

namespace opbench {

/// The precision that contenders are timed to, and the time that it may take.
struct Pace {
  double precision = 0.01;  ///< timing ends once every speedup's 95 % interval is narrower than this share of it
  double maxSeconds = 0.5;  ///< or after about this much wall time
  int repeats = 0;          ///< if not 0: so many rounds of a fixed length instead, as operatorbench does
};

/// The reason that the timing ended.
enum class Stop { Precision, MaxTime, Repeats, Runs };
/// `precision`, `max-time`, `repeats`, `runs`.
std::string_view name(Stop stop);

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
  int runs = 0;                       ///< those that count
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

/// Times trials against each other: all run once in turn, in an order that `seed` shuffles anew each time, and the times of
/// one such turn are compared with each other, so that whatever drifts meets all alike; where trials have several captures, the
/// means of as many turns are. Between rounds of turns the intervals are looked at, and the clock of the device is read. Turns
/// that other programs interrupt do not count, unless hardly any is left without them. At places that nobody can know
/// (AuditPlaces), or after the last turn if that comes before the first of them, each contender is audited, if that is asked for;
/// the turns after it, one of each capture, do not count. Runs by the measure Cold are looked at one by one.
Measurement race(const std::vector<runtime::Trial*>& trials, runtime::Measure measure, runtime::Device& device, const Pace& pace,
                 uint64_t seed, const RunChecks& checks = {});

/// Runs that reports of models take together: Hugging Face's time is the least mean of such a round.
inline constexpr int64_t runsOfRound = 10;

/// Times trials in the same way, each exactly `warmups` runs that do not count and then `runs` that do, whatever happens
/// meanwhile; each run is a round of its own. One turn is audited, as in race().
Measurement raceExactly(const std::vector<runtime::Trial*>& trials, runtime::Measure measure, runtime::Device& device,
                        int64_t warmups, int64_t runs, uint64_t seed, const RunChecks& checks = {});

/// What `all` times of one contender tell, in seconds, and its means and those of the first contender, which are compared pair by
/// pair.
Timing timingOf(const std::vector<double>& all, const std::vector<double>& means, const std::vector<double>& firstMeans);

}  // namespace opbench
