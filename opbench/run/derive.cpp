#include "opbench/run/derive.h"

#include <fmt/format.h>

#include <algorithm>

#include "opbench/run/outcome.h"

namespace opbench {
namespace {

using runtime::Measure;

/// The cold time of an outcome, whichever measure that is.
const std::optional<Timing>& coldOf(const Outcome& outcome, const Run& run) {
  return mainMeasure(run) == Measure::Cold ? outcome.timing : outcome.secondary;
}

/// The share of an earlier measurement that no later one exceeds, and the share beyond which measurements differ by more than
/// repetitions do.
constexpr double certainty = 1.1, difference = 1.01;

/// The least cold time. What has to be read comes from memory. What is written may stay in the last cache; what this cannot hold
/// goes to memory, maybe faster than reads come from it, whose rate alone is known.
double leastSeconds(const Row& row, const Run& run) {
  constexpr double ofReads = 2;  // the rate of writes at the most
  const Ceilings& ceilings = run.ceilings;
  const int64_t evicted = run.lastCacheBytes > 0 ? std::max<int64_t>(0, row.traffic.written - run.lastCacheBytes) : 0;
  const double bytes = static_cast<double>(row.traffic.read) + static_cast<double>(evicted) / ofReads;
  double seconds = 0;
  if (ceilings.read > 0) seconds = bytes / std::max(ceilings.read, ceilings.copy);
  if (ceilings.flops > 0) seconds = std::max(seconds, row.flops / ceilings.flops);
  return seconds / certainty;
}

/// The outcome's cold time, where it computes and that is less than `least`.
std::optional<double> impossibleSeconds(const Outcome& outcome, const Run& run, double least) {
  const auto& cold = coldOf(outcome, run);
  if (!cold || outcome.kind == runtime::Kind::View || cold->median >= least) return std::nullopt;
  return cold->median;
}

void reject(Outcome& outcome, double seconds, double least) {
  outcome.status = Status::Impossible;
  outcome.reason =
      fmt::format("measured {:.2f} us cold, but its memory traffic or arithmetic takes at least {:.2f} us on this device",
                  seconds * 1e6, least * 1e6);
  dropTimes(outcome);
}

/// Whether hot runs, the main ones on a CPU, may find half of the sample's data in the last cache: the memory's bandwidth says
/// nothing of these.
bool isInCaches(const Row& row, const Run& run) {
  if (isOnGpu(run) || run.lastCacheBytes == 0 || row.bytes() > 2 * run.lastCacheBytes) return false;
  const Ceilings& ceilings = run.ceilings;
  return ceilings.flops <= 0 || row.flops / ceilings.flops < static_cast<double>(row.bytes()) / ceilings.copy;
}

/// The share of the roofline, or of the peak, that a time reaches. One a little beyond it has reached it, as no ceiling is known
/// exactly; one far beyond it found data in the caches after all, and has none.
std::optional<double> shareOf(double least, double seconds) {
  const double share = least / seconds;
  return share > certainty ? std::nullopt : std::optional(std::min(share, 1.0));
}

/// The least time of a network's products, each at its precision's peak; 0 where one is not known.
double productSeconds(const Row& row) {
  double seconds = 0;
  for (const Products& products : row.products) {
    if (products.peak <= 0) return 0;
    seconds += static_cast<double>(products.flops) / products.peak;
  }
  return seconds;
}

/// Raises a ceiling that is known to the rate at which an amount was done in a time.
void raise(double& ceiling, double amount, const std::optional<Timing>& timing) {
  if (ceiling <= 0 || !timing || timing->median <= 0) return;
  if (amount / timing->median > difference * ceiling) ceiling = amount / timing->median;
}

}  // namespace

bool isBeyondRoofline(const Row& row, const Run& run) {
  const double least = leastSeconds(row, run);
  return std::any_of(row.outcomes.begin(), row.outcomes.end(),
                     [&](const Outcome& outcome) { return impossibleSeconds(outcome, run, least).has_value(); });
}

Ceilings reachedByEager(const Row& row, const Run& run) {
  Ceilings reached = run.ceilings;
  for (const Outcome& outcome : row.outcomes) {
    if (outcome.contender != Contender::Eager || outcome.kind == runtime::Kind::View) continue;
    raise(reached.read, static_cast<double>(row.traffic.read), coldOf(outcome, run));
    raise(reached.flops, row.flops, outcome.timing);
    raise(reached.flops, row.flops, outcome.secondary);
    // What caches cannot hold comes from memory in hot runs, too.
    if (!isOnGpu(run) && run.lastCacheBytes > 0)
      raise(reached.copy, static_cast<double>(row.bytes() - run.lastCacheBytes), outcome.timing);
  }
  return reached;
}

void derive(Row& row, const Run& run) {
  if (row.outcomes.empty()) return;
  row.rooflineSeconds = rooflineSeconds(run.ceilings, row.bytes(), row.flops);
  if (row.bytes() > 0) row.copySeconds = run.copyTimes.seconds(row.bytes());
  const double least = leastSeconds(row, run);
  for (Outcome& outcome : row.outcomes)
    if (const auto seconds = impossibleSeconds(outcome, run, least)) reject(outcome, *seconds, least);
  const double atPeak = productSeconds(row);
  const bool hasBaseline = row.outcomes.front().timing.has_value();
  if (hasBaseline) row.isLaunchBound = row.outcomes.front().timing->median < 1.2 * run.ceilings.launchOverhead;
  for (Outcome& outcome : row.outcomes) {
    if (!outcome.timing || outcome.timing->median <= 0) continue;
    const bool isComparable = run.anyPrecision || outcome.arithmetic == row.outcomes.front().arithmetic;
    if (hasBaseline && isComparable) outcome.speedup = outcome.timing->ratio.median;
    if (!row.products.empty()) outcome.flopsPerSecond = static_cast<double>(row.productFlops()) / outcome.timing->median;
    if (atPeak > 0) outcome.ofPeak = shareOf(atPeak, outcome.timing->median);
    if (outcome.kind == runtime::Kind::View) continue;
    outcome.bytesPerSecond = static_cast<double>(row.bytes()) / outcome.timing->median;
    if (row.copySeconds > 0) outcome.ofCopy = row.copySeconds / outcome.timing->median;
    if (row.rooflineSeconds > 0 && !isInCaches(row, run))
      outcome.ofRoofline = shareOf(row.rooflineSeconds, outcome.timing->median);
  }
}

}  // namespace opbench
