#pragma once

#include <set>
#include <string>

#include "opbench/compare/compare.h"

namespace opbench::compare {

/// What a terminal shows: the rows that changed (`all`: every row) with `Baseline, Candidate, Difference, 95% interval,
/// Verdict`, the operators, and the totals.
std::string console(const Comparison& comparison, bool all, bool colour);

/// The same for a pull request: totals and operators first, the rows that changed in a folded table.
std::string markdown(const Comparison& comparison);

/// JUnit XML: a test suite an operator, a test case a sample and contender; those with a verdict in `failing` are failures,
/// those that are gone are skipped.
std::string junit(const Comparison& comparison, const std::set<Verdict>& failing);

}  // namespace opbench::compare
