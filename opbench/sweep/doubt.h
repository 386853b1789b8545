#pragma once

#include <optional>
#include <string>

#include "opbench/results/row.h"
#include "opbench/results/statistics.h"

namespace opbench {

/// Why times are not printed before a fresh process has shown them again.
struct Doubt {
  Contender contender = Contender::Opbench;
  std::string why;  ///< `opbench was 7.31 times as fast as any other`
  std::optional<Interval>
      lead{};  ///< the time of the best other contender over its own; nothing where the race did not settle it
};

/// The doubt about a contender, other than eager, whose time is impossible, or less than a fifth of the best other one's.
std::optional<Doubt> doubtOf(const Row& row, const Run& run);

/// Tells in the row of the second race why there was one. A contender whose lead is another one now is suspect, where both races
/// settled it: no other program disturbed them, and the intervals are far from each other.
void confirm(Row& row, const Doubt& doubt);

}  // namespace opbench
