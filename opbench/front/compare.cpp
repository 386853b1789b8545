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

void refuseUnlike(const Comparison& comparison) {
  const auto found = comparabilityIssues(comparison.base, comparison.candidate);
  if (found.empty()) return;
  ir::fail(ir::ErrorKind::Input, "{} and {} are not comparable: {}; use --force to compare anyway", comparison.base.file,
           comparison.candidate.file, fmt::join(found, "; "));
}

}  // namespace

bool compareFiles(const CompareOptions& options, std::ostream& out, std::ostream& err, bool colour, int room) {
  const std::set<compare::Verdict> failing = failingVerdicts(options);
  const Comparison comparison = compare::compare(readFiles(options.base), readFiles(options.candidate));
  for (const results::Results* results : {&comparison.base, &comparison.candidate})
    for (const std::string& complaint : results->complaints) err << "opbench: " << complaint << "\n";
  if (!options.force) refuseUnlike(comparison);
  out << console(comparison, options.all, colour, room);
  if (!options.markdown.empty()) inputs::writeFile(options.markdown, markdown(comparison));
  if (!options.junit.empty()) inputs::writeFile(options.junit, junit(comparison, failing));
  if (!options.html.empty()) inputs::writeFile(options.html, html(comparison, onlyOf(options.base), onlyOf(options.candidate)));
  return std::none_of(comparison.rows.begin(), comparison.rows.end(),
                      [&](const Compared& row) { return failing.contains(row.verdict); });
}

}  // namespace opbench
