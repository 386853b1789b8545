#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "opbench/compare/compare.h"

namespace opbench::compare {

/// The tally of the rows of one operator, or of all.
struct Tally {
  std::string op;  ///< empty for all
  std::array<int, verdicts> counts{};
  std::map<Ambiguity, int> ambiguities;  ///< of the ambiguous rows
  int launchBound = 0;                   ///< of those measured in both: as fast as an empty kernel in both
  std::optional<double> ratio;           ///< geometric mean of candidate over baseline
  std::optional<double> ratioByTime;     ///< of the time of all recorded calls

  int of(Verdict verdict) const { return counts[static_cast<size_t>(verdict)]; }
  int rows() const;
};

/// A tally an operator, in alphabetical order.
std::vector<Tally> tallies(const Comparison& comparison);
Tally total(const Comparison& comparison);

}  // namespace opbench::compare
