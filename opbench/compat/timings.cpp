#include "opbench/compat/timings.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "opbench/results/statistics.h"

namespace opbench {
namespace {

using RowsOfOperator = std::span<const Row>;

/// The rows of each operator; rows of one stand together.
std::vector<RowsOfOperator> byOperator(const std::vector<Row>& rows) {
  std::vector<RowsOfOperator> groups;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin, rows.end(), [&](const Row& row) { return row.op != begin->op; });
    groups.emplace_back(begin, end);
    begin = end;
  }
  return groups;
}

bool isTimed(const Row& row) {
  return std::all_of(row.outcomes.begin(), row.outcomes.end(), [](const Outcome& outcome) { return outcome.timing.has_value(); });
}

/// A number as Python prints it.
std::string python(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

/// `[0.97, 1.02, 1.31]`: quantiles over the samples that all contenders ran; empty where there are none, or no such contender.
std::string speedups(RowsOfOperator rows, const Contender& contender) {
  std::vector<double> ratios;
  for (const Row& row : rows)
    for (const Outcome& outcome : row.outcomes)
      if (isTimed(row) && outcome.contender == contender)
        ratios.push_back(row.outcomes.front().timing->median / outcome.timing->median);
  if (ratios.empty()) return "";
  return fmt::format("[{}, {}, {}]", python(quantile(ratios, 0.2)), python(quantile(ratios, 0.5)), python(quantile(ratios, 0.8)));
}

std::string resultsOf(RowsOfOperator rows) {
  const std::string opbench = speedups(rows, Contender::Opbench), torchscript = speedups(rows, Contender::Torchscript);
  if (opbench.empty() && torchscript.empty()) return "";
  std::string text = rows.front().op + ":\n";
  if (!opbench.empty()) text += fmt::format("Inductor Speedups : {}\n", opbench);
  if (!torchscript.empty()) text += fmt::format("NVFUSER Speedups :{}\n", torchscript);
  return text;
}

/// What became of a sample that has no time: wrong results, or its first error.
std::string errorsOf(const Row& row) {
  std::string text;
  for (const Outcome& outcome : row.outcomes) {
    if (outcome.status == Status::Wrong) text += fmt::format("{}\nAccuracy check failed: {}\n", outcome.reason, row.op);
    if (outcome.status != Status::Ok && outcome.status != Status::Wrong)
      return text + fmt::format("error {}\n{}: {}\n", row.op, name(outcome.status), outcome.reason);
  }
  return text;
}

}  // namespace

std::string operatorbenchLines(const std::vector<Row>& rows, const SelectionSettings& selection) {
  std::string text;
  for (const RowsOfOperator& group : byOperator(rows)) {
    text += fmt::format("Running {}\n", group.front().op);
    int64_t number = selection.startIdx;
    for (const Row& row : group) text += fmt::format("Iter {}\n", number++) + errorsOf(row);
    if (const std::string results = resultsOf(group); !results.empty()) text += results + "\n";
  }
  return text;
}

std::string operatorbenchResults(const std::vector<Row>& rows) {
  std::string text;
  for (const RowsOfOperator& group : byOperator(rows)) text += resultsOf(group);
  return text;
}

std::string timingsFile(const SelectionSettings& selection, ir::DType dtype) {
  if (selection.ops != std::vector<std::string>{"all"}) return "";
  return fmt::format("timings_{}_all{}.txt", selection.suites.empty() ? "torchbench" : selection.suites.front(),
                     ir::torchName(dtype));
}

}  // namespace opbench
