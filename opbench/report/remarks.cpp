#include "opbench/report/remarks.h"

#include <fmt/format.h>

#include "opbench/report/format.h"
#include "opbench/results/contenders.h"

namespace opbench::report {
namespace {

constexpr int countWidth = 9;  // of a total

std::string line(const std::string& text, bool colour) { return "    " + toned(text, Tone::Warning, colour) + "\n"; }

std::string counted(int count, const ContenderSummary& contender, std::string_view what, bool colour) {
  if (count == 0) return "";
  const std::string number = toned(right(std::to_string(count), countWidth), Tone::Warning, colour);
  return fmt::format("{}  of {} sample{} {}\n", number, contender.counts.samples, contender.counts.samples == 1 ? "" : "s", what);
}

/// Whose two runs differ: `generated kernels`, `ATen's kernels`, or the user's operator or kernel by its name.
std::string whose(const Contender& contender, runtime::Kind kind) {
  if (contender.isOwn() || isNamespace(contender)) return contender.name();
  return kind == runtime::Kind::Generated ? "generated kernels" : "ATen's kernels";
}

}  // namespace

std::string remarks(const Row& row, bool colour) {
  std::string text;
  if (!row.ceilingsRaised.empty()) text += line("ceilings raised: " + row.ceilingsRaised, colour);
  if (!row.notFenced.empty()) text += line("ran without " + row.notFenced, colour);
  if (hasRecovered(row)) text += line("passed on the second try, after " + row.retried, colour);
  if (!row.remeasured.empty()) text += line("measured again by a fresh process, as at first " + row.remeasured, colour);
  if (!row.doubt.empty()) text += line(row.doubt + ", which the others are compared with", colour);
  if (!row.trivialSolution.empty()) text += line("check is too weak: " + row.trivialSolution, colour);
  for (const Outcome& outcome : row.outcomes)
    if (outcome.isVarying())
      text += line(fmt::format("{}: nondeterministic, two runs of {} differ {} the tolerance", name(outcome.contender),
                               whose(outcome.contender, outcome.kind),
                               *outcome.determinism == Determinism::WithinTolerance ? "within" : "beyond"),
                   colour);
  return text;
}

std::string remarks(const ContenderSummary& contender, bool colour) {
  const auto differ = [&](runtime::Kind kind) {
    return fmt::format("nondeterministic: two runs of {} differ", whose(contender.contender, kind));
  };
  return counted(contender.disturbed, contender, "disturbed: other programs interrupted their runs", colour) +
         counted(contender.shared, contender, "raced while other processes used the GPU", colour) +
         counted(contender.capped, contender, "raced while power or heat held the clock down", colour) +
         counted(contender.recovered, contender, "passed on the second try", colour) +
         counted(contender.trivialSolutions, contender, "checked too weakly: a trivial solution (such as zeros) would pass",
                 colour) +
         counted(contender.nondeterministic, contender, differ(runtime::Kind::Generated), colour) +
         counted(contender.atenNondeterministic, contender, differ(runtime::Kind::Fallback), colour);
}

}  // namespace opbench::report
