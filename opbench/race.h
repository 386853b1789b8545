#pragma once

#include <vector>

#include "runtime/device.h"

namespace opbench {

/// How long and how finely contenders are timed.
struct Pace {
  int repeats = 3;             ///< batches of each contender; the median of their medians counts
  double batchSeconds = 0.02;  ///< measured time of one batch, about
  int minRuns = 10;            ///< runs of a batch at least
  int slowRuns = 5;            ///< the same where one run takes more than a quarter of `batchSeconds`
  int maxRuns = 100;           ///< and at most
  double turnSeconds = 0;      ///< contenders take turns within a batch after about this much time; 0 is after the batch
};

/// The pace for a kind of device: whole batches on CUDA, where each queues replays behind one another; turns of a
/// millisecond on a CPU, whose speed drifts faster than a batch lasts.
Pace paceFor(ir::Backend backend, int repeats);

/// What was measured of one contender; seconds.
struct Timing {
  double median = 0;        ///< of the batches' medians
  double p20 = 0, p80 = 0;  ///< of all runs
  int runs = 0;
  std::vector<double> batches;  ///< their medians, in order
};

/// Times trials against each other: after a warm-up, `repeats` rounds in each of which every trial has a batch, in an order
/// that turns round from one round to the next.
std::vector<Timing> race(const std::vector<runtime::Trial*>& trials, const Pace& pace);

}  // namespace opbench
