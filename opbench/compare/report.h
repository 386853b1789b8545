#pragma once

#include <set>
#include <string>

#include "opbench/compare/compare.h"

namespace opbench::compare {

/// The report on a terminal: the rows that changed (`all`: every row), the operators, and the totals. Lines of tables have at
/// most `room` characters; 0 is no limit.
std::string console(const Comparison& comparison, bool all, bool colour, int room);

/// The report for a pull request: totals and operators first, the rows that changed in a folded table.
std::string markdown(const Comparison& comparison);

/// JUnit XML: a test suite an operator, a test case a sample and contender. Test cases with a verdict in `failing` are failures,
/// test cases that are gone are skipped.
std::string junit(const Comparison& comparison, const std::set<Verdict>& failing);

}  // namespace opbench::compare
