#include "opbench/front/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/compare/html/page.h"
#include "opbench/compare/report.h"

namespace opbench {
namespace {

using namespace compare;

std::vector<results::Results> readFiles(const std::vector<std::string>& files) {
  std::vector<results::Results> all;
  for (const std::string& file : files) all.push_back(results::readFile(file));
  return all;
}

/// The only file; empty where there are more.
std::string onlyOf(const std::vector<std::string>& files) { return files.size() == 1 ? files.front() : ""; }

}  // namespace

void refuseUnlike(const results::Results& base, const results::Results& candidate) {
  const auto found = comparabilityIssues(base, candidate);
  if (found.empty()) return;
  ir::fail(ir::ErrorKind::Input, "{} and {} are not comparable: {}; use --force to compare anyway", base.file, candidate.file,
           fmt::join(found, "; "));
}

bool compareFiles(const CompareOptions& options, std::ostream& out, std::ostream& err, bool colour, int room) {
  return compareRuns(options, readFiles(options.base), readFiles(options.candidate), out, err, colour, room);
}

bool compareRuns(const CompareOptions& options, std::vector<results::Results> base, std::vector<results::Results> candidate,
                 std::ostream& out, std::ostream& err, bool colour, int room) {
  const std::set<compare::Verdict> failing = failingVerdicts(options);
  const Comparison comparison = compare::compare(std::move(base), std::move(candidate));
  for (const results::Results* results : {&comparison.base, &comparison.candidate})
    for (const std::string& complaint : results->complaints) err << "opbench: " << complaint << "\n";
  if (!options.force) refuseUnlike(comparison.base, comparison.candidate);
  out << console(comparison, options.all, colour, room);
  if (!options.markdown.empty()) inputs::writeFile(options.markdown, markdown(comparison));
  if (!options.junit.empty()) inputs::writeFile(options.junit, junit(comparison, failing));
  if (!options.html.empty()) inputs::writeFile(options.html, html(comparison, onlyOf(options.base), onlyOf(options.candidate)));
  return std::none_of(comparison.rows.begin(), comparison.rows.end(),
                      [&](const Compared& row) { return failing.contains(row.verdict); });
}

}  // namespace opbench
