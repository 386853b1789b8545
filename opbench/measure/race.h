#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/measure/audit.h"
#include "opbench/results/device_rates.h"
#include "opbench/results/timing.h"
#include "runtime/device.h"

namespace opbench {

/// The precision that contenders are timed to, and the time that it may take.
struct Pace {
  double precision = 0.01;  ///< timing ends once every speedup's 95 % interval is narrower than this share of it
  AANoise noise;            ///< or than what times in other processes differ by, anyway, from what they are on average
  double maxSeconds = 0.5;  ///< or after about this much wall time
  int repeats = 0;          ///< if not 0: so many rounds of a fixed length instead, as operatorbench does
};

/// Times trials against each other: all run once in turn, in an order that `seed` shuffles anew each time, and the times of
/// one such turn are compared with each other, so that whatever drifts meets all alike; where trials have several captures, the
/// means of as many turns are. Between rounds of turns the intervals are looked at, and the clock of the device is read. Turns
/// that other programs interrupt do not count, unless hardly any is left without them. At places that nobody can know
/// (AuditPlaces), or after the last turn if that comes before the first of them, each contender is audited, if that is asked for;
/// the turns after it, one of each capture, do not count. Runs by the measure Cold are looked at one by one.
Measurement race(const std::vector<runtime::Trial*>& trials, runtime::Measure measure, runtime::Device& device, const Pace& pace,
                 uint64_t seed, const RunChecks& checks = {});

/// Times trials in the same way, each exactly `warmups` runs that do not count and then `runs` that do, whatever happens
/// meanwhile; each run is a round of its own. One turn is audited, as in race().
Measurement raceExactly(const std::vector<runtime::Trial*>& trials, runtime::Measure measure, runtime::Device& device,
                        int64_t warmups, int64_t runs, uint64_t seed, const RunChecks& checks = {});

/// The timing of one contender, from `all` its times, in seconds, and its means and the first contender's, which are compared
/// pair by pair.
Timing timingOf(const std::vector<double>& all, const std::vector<double>& means, const std::vector<double>& firstMeans);

}  // namespace opbench
