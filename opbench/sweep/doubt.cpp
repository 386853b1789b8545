#include "opbench/sweep/doubt.h"

#include <fmt/format.h>

#include "opbench/run/outcome.h"

namespace opbench {
namespace {

constexpr double doubtful = 5;     // times as fast as the best other contender
constexpr double different = 1.5;  // between two leads: more than processes scatter

/// The fastest of the other contenders that were timed.
const Timing* bestBeside(const Outcome& outcome, const Row& row) {
  const Timing* best = nullptr;
  for (const Outcome& other : row.outcomes)
    if (&other != &outcome && other.timing && (!best || other.timing->median < best->median)) best = &*other.timing;
  return best;
}

/// The 95 % interval of the best other contender's time over an outcome's; nothing where other programs disturbed the race, or it
/// was too short for an interval.
std::optional<Interval> leadOf(const Outcome& outcome, const Row& row) {
  const Timing* best = bestBeside(outcome, row);
  if (isDisturbed(row) || !best || !best->interval || !outcome.timing || !outcome.timing->interval) return std::nullopt;
  const Interval own = *outcome.timing->interval;
  if (own.low <= 0) return std::nullopt;
  return Interval{best->interval->low / own.high, best->interval->high / own.low};
}

bool areDifferent(const Interval& a, const Interval& b) { return a.low > different * b.high || b.low > different * a.high; }

bool canBeDoubted(const Outcome& outcome) { return outcome.contender != Contender::Eager && outcome.kind != runtime::Kind::View; }

}  // namespace

std::optional<Doubt> doubtOf(const Row& row, const Run& run) {
  if (run.isAA) return std::nullopt;
  for (const Outcome& outcome : row.outcomes) {
    if (!canBeDoubted(outcome)) continue;
    if (outcome.status == Status::Impossible)
      return Doubt{outcome.contender, fmt::format("{} {}", name(outcome.contender), outcome.reason)};
    const Timing* best = bestBeside(outcome, row);
    if (best && outcome.timing && outcome.timing->median > 0 && best->median > doubtful * outcome.timing->median)
      return Doubt{
          outcome.contender,
          fmt::format("{} was {:.2f} times as fast as any other", name(outcome.contender), best->median / outcome.timing->median),
          leadOf(outcome, row)};
  }
  return std::nullopt;
}

void confirm(Row& row, const Doubt& doubt) {
  row.remeasured = doubt.why;
  if (!doubt.lead) return;
  for (Outcome& outcome : row.outcomes) {
    const auto lead = outcome.contender == doubt.contender ? leadOf(outcome, row) : std::nullopt;
    if (!lead || !areDifferent(*lead, *doubt.lead)) continue;
    setSuspect(
        outcome,
        fmt::format("it was {:.2f} to {:.2f} times as fast as any other in one process, and {:.2f} to {:.2f} times in another",
                    doubt.lead->low, doubt.lead->high, lead->low, lead->high));
  }
}

}  // namespace opbench
