#include "opbench/sweep/doubt.h"

#include <fmt/format.h>

#include <algorithm>

#include "opbench/run/outcome.h"

namespace opbench {
namespace {

constexpr double doubtful = 5;     // times as fast as the best other contender
constexpr double different = 1.5;  // from the lead of the first race: more than processes scatter

/// The time of the best other contender over an outcome's; nothing where one is missing.
std::optional<double> leadOf(const Outcome& outcome, const Row& row) {
  std::optional<double> best;
  for (const Outcome& other : row.outcomes)
    if (&other != &outcome && other.timing) best = std::min(best.value_or(other.timing->median), other.timing->median);
  if (!best || !outcome.timing || outcome.timing->median <= 0) return std::nullopt;
  return *best / outcome.timing->median;
}

bool canBeDoubted(const Outcome& outcome) { return outcome.contender != Contender::Eager && outcome.kind != runtime::Kind::View; }

}  // namespace

std::optional<Doubt> doubtOf(const Row& row, const Run& run) {
  if (run.isAA) return std::nullopt;
  for (const Outcome& outcome : row.outcomes) {
    if (!canBeDoubted(outcome)) continue;
    if (outcome.status == Status::Impossible)
      return Doubt{outcome.contender, 0, fmt::format("{} {}", name(outcome.contender), outcome.reason)};
    const auto lead = leadOf(outcome, row);
    if (lead && *lead > doubtful)
      return Doubt{outcome.contender, *lead,
                   fmt::format("{} was {:.2f} times as fast as any other", name(outcome.contender), *lead)};
  }
  return std::nullopt;
}

void confirm(Row& row, const Doubt& doubt) {
  row.remeasured = doubt.why;
  if (doubt.lead <= 0 || isDisturbed(row)) return;
  for (Outcome& outcome : row.outcomes) {
    const auto lead = outcome.contender == doubt.contender ? leadOf(outcome, row) : std::nullopt;
    if (!lead || std::max(*lead / doubt.lead, doubt.lead / *lead) < different) continue;
    setSuspect(outcome, fmt::format("it was {:.2f} times as fast as any other in one process, and {:.2f} times in another",
                                    doubt.lead, *lead));
  }
}

}  // namespace opbench
