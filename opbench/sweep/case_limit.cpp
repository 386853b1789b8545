#include "opbench/sweep/case_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace opbench {

void CaseLimit::add(const Row& row) {
  for (const Outcome& outcome : row.outcomes) {
    if (!outcome.caseFolder.empty())
      ++written_;
    else if (outcome.status == Status::Wrong && left() == 0)
      ++beyond_;
  }
}

int CaseLimit::left() const { return most_ == 0 ? std::numeric_limits<int>::max() : std::max(0, most_ - written_); }

std::string CaseLimit::complaint() const {
  if (beyond_ == 0) return "";
  return fmt::format(
      "{} reproducers were written, the most that --max-cases allows; {} more wrong result{} the command that writes {}",
      written_, beyond_, beyond_ == 1 ? " names" : "s name", beyond_ == 1 ? "its" : "theirs");
}

}  // namespace opbench
