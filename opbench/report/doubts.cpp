#include "opbench/report/doubts.h"

#include <fmt/format.h>

#include "opbench/report/format.h"

namespace opbench::report {
namespace {

constexpr int figureWidth = 9;  // of a total

std::string line(const std::string& text, bool colour) { return "    " + toned(text, Tone::Doubtful, colour) + "\n"; }

std::string counted(int count, const Standing& standing, std::string_view what, bool colour) {
  if (count == 0) return "";
  const std::string number = toned(right(std::to_string(count), figureWidth), Tone::Doubtful, colour);
  return fmt::format("{}  of {} sample{} {}\n", number, standing.counts.samples, standing.counts.samples == 1 ? "" : "s", what);
}

std::string_view whose(const Outcome& outcome) { return outcome.kind == runtime::Kind::Generated ? "generated" : "ATen's"; }

}  // namespace

std::string doubts(const Row& row, bool colour) {
  std::string text;
  if (hasRecovered(row)) text += line("passed on the second try, after " + row.retried, colour);
  if (!row.vacuous.empty()) text += line("check is too weak: " + row.vacuous, colour);
  for (const Outcome& outcome : row.outcomes)
    if (outcome.deterministic == false)
      text += line(fmt::format("{}: nondeterministic, two runs of {} kernels differ", name(outcome.contender), whose(outcome)),
                   colour);
  return text;
}

std::string doubts(const Standing& standing, bool colour) {
  return counted(standing.recovered, standing, "passed on the second try", colour) +
         counted(standing.vacuous, standing, "checked too weakly: an all-zero (or copied) result would pass", colour) +
         counted(standing.nondeterministic, standing, "nondeterministic: two runs of generated kernels differ", colour) +
         counted(standing.atenNondeterministic, standing, "nondeterministic: two runs of ATen's kernels differ", colour);
}

}  // namespace opbench::report
