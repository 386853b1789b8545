// Any text, read as a results file and compared with itself: a refusal is an Input error, and what is read can be shown.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ir/error.h"
#include "opbench/compare/compare.h"
#include "opbench/compare/report.h"
#include "tests/fuzz/target.h"

namespace {

using namespace opbench;

/// Nothing is faster or slower than itself.
void compareWithItself(const results::Results& results) {
  const compare::Comparison comparison = compare::compare(results, results);
  for (const compare::Compared& row : comparison.rows)
    if (row.verdict == compare::Verdict::Fast || row.verdict == compare::Verdict::Slow) std::abort();
  compare::comparabilityIssues(results, results);
  if (compare::console(comparison, true, true, 80).empty() || compare::markdown(comparison).empty()) std::abort();
}

}  // namespace

FUZZ_TARGET(results_fuzz)(const uint8_t* data, size_t size) {
  try {
    compareWithItself(results::read({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Input) std::abort();
  }
  return 0;
}
