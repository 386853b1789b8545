#pragma once

#include <optional>
#include <string>

#include "opbench/run/row.h"

namespace opbench {

/// Why times are not printed before a fresh process has shown them again.
struct Doubt {
  Contender contender = Contender::Opbench;
  double lead = 0;  ///< the time of the best other contender over its own; 0 where its time was impossible
  std::string why;  ///< `opbench was 7.31 times as fast as any other`
};

/// A contender, other than eager, whose time is impossible, or less than a fifth of that of the best other one.
std::optional<Doubt> doubtOf(const Row& row, const Run& run);

/// Tells in the row of the second race why there was one. A contender whose lead is another one now is suspect, unless other
/// programs disturbed the race.
void confirm(Row& row, const Doubt& doubt);

}  // namespace opbench
