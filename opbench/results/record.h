#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opbench/results/row.h"

namespace opbench::results {

/// The disposition of a contender on a sample: its status, as far as readers of results tell them apart.
enum class Disposition {
  Measured,    ///< `ok`, with a time
  Wrong,       ///< `wrong`
  Failed,      ///< `error`, `crash`, `assert`, `timeout`, `oom`
  Impossible,  ///< `impossible`: faster than the device can be
  Unmeasured,  ///< `unsupported`, `skipped`, or ok without a time
};

/// One line that `--json` writes: a contender on a sample. Times in microseconds; a field that a line lacks or has as null is
/// absent.
struct Record {
  int place = 0;                ///< the line of the results file it stands in, from 1
  std::string op, sample;       ///< the sample as recorded
  std::string suite, file;      ///< where it was recorded
  int64_t index = 0, line = 0;  ///< its number in the run, and its line in `file`
  int64_t count = 1;
  std::string contender, kind, status, reason;
  bool isBaseline = false;  ///< whether it is the first contender of its sample, which the others' speedups are over
  std::string sibling;      ///< the call on which it failed, where that is a sibling of the sample's
  std::string retried;      ///< the first failure, where the sample was raced twice
  Disposition disposition = Disposition::Unmeasured;

  std::optional<double> median;
  std::optional<Interval> medianInterval;  ///< 95 %; absent where there were too few times for one
  std::optional<Interval> percentiles;     ///< 20th and 80th of the runs
  std::vector<double> rounds;              ///< medians of repetitions
  int64_t runs = 0;
  std::optional<double> wallSeconds;  ///< that the sample took, all its contenders together
  std::optional<double> speedup;      ///< over the baseline
  std::optional<Interval> speedupInterval;
  std::optional<double> secondary;            ///< the median by the secondary measure, where it and its interval are more than 0
  std::optional<Interval> secondaryInterval;  ///< 95 %
  std::optional<double> gigabytesPerSecond;
  std::optional<double> clockMhz;
  std::optional<double> firstSeconds;  ///< of a network: its first run, with all that it sets up
  std::optional<int64_t> peakBytes;    ///< of a network: what its tensors take at most
  bool isDisturbed = false;            ///< other programs interrupted nearly all its runs
  bool isLaunchBound = false;          ///< about as fast as an empty kernel
  std::optional<double> aaNoise;       ///< the device's A/A noise, 0.01 being 1 %

  runtime::Environment environment;
  std::string device, deviceName, dtype, data, flush, version;
  std::optional<uint64_t> seed;
  int64_t threads = 0;
  bool channelsLast = false;
  bool isAA = false;  ///< speedups are of the contender over itself
};

/// The disposition that a status stands for. `hasTime`: whether the line has a median.
Disposition dispositionOf(Status status, bool hasTime);

}  // namespace opbench::results
