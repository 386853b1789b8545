#include "opbench/report/junit.h"

#include <fmt/format.h>

#include "opbench/compare/phrases.h"
#include "opbench/compare/report.h"

namespace opbench::compare {
namespace {

using report::TestCase;

/// `baseline 8.24, candidate 8.66 us: time +5.1%, speedup -4.9% (95 %: -5.1..-4.6%)`, or the reason of a failure.
std::string messageOf(const Compared& row) {
  if (const std::string why = remark(row); !row.ratio && !why.empty()) return why;
  std::string text = fmt::format("baseline {}, candidate {}", medianText(row.base), medianText(row.candidate));
  if (row.ratio)
    text += fmt::format(" us: time {}{} (95 %: {})", timeChangeText(row),
                        row.isOverEager ? ", speedup " + speedupChangeText(row) : "", intervalText(row));
  return text;
}

TestCase testOf(const Compared& row, const std::set<Verdict>& failing) {
  TestCase test;
  test.suite = row.any().op;
  test.name = report::caseName(row.any());
  if (row.candidate && row.candidate->median) test.seconds = *row.candidate->median * 1e-6;
  test.type = name(row.verdict);
  test.message = messageOf(row);
  if (failing.contains(row.verdict)) {
    test.outcome = TestCase::Outcome::Failed;
  } else if (row.verdict == Verdict::Gone) {
    test.outcome = TestCase::Outcome::Skipped;
  }
  return test;
}

}  // namespace

std::string junit(const Comparison& comparison, const std::set<Verdict>& failing) {
  std::vector<TestCase> cases;
  for (const Compared& row : comparison.rows) cases.push_back(testOf(row, failing));
  return report::junit("opbench compare", cases);
}

}  // namespace opbench::compare
