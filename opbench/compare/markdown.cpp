#include <fmt/format.h>

#include <algorithm>

#include "inputs/text/printable.h"
#include "opbench/compare/phrases.h"
#include "opbench/compare/report.h"

namespace opbench::compare {
namespace {

/// How many backquotes stand side by side in a text, at most.
size_t mostBackquotes(const std::string& text) {
  size_t most = 0, here = 0;
  for (const char c : text) most = std::max(most, here = c == '`' ? here + 1 : 0);
  return most;
}

/// Foreign text: one line of code, in which nothing is a link, a name that is notified, a tag, or the end of a table's cell.
std::string code(const std::string& text) {
  if (text.empty()) return "";
  const std::string fence(mostBackquotes(text) + 1, '`');
  std::string result = fence + (fence.size() > 1 ? " " : "");
  for (const char c : inputs::printable(text)) result += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
  return result + (fence.size() > 1 ? " " : "") + fence;
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& each : cells) text += " " + each + " |";
  return text + "\n";
}

std::string ratioText(std::optional<double> ratio) { return ratio ? percentText(*ratio) : "-"; }

bool isWorthARow(const Compared& row) {
  return row.verdict != Verdict::Same && row.verdict != Verdict::New && row.verdict != Verdict::Gone;
}

std::string changed(const Comparison& comparison) {
  std::string lines;
  int count = 0;
  for (const Compared& each : comparison.rows) {
    if (!isWorthARow(each)) continue;
    ++count;
    lines += row({code(each.any().op), code(sampleText(each.any())), code(each.any().contender), medianText(each.base),
                  medianText(each.candidate), timeChangeText(each), speedupChangeText(each), intervalText(each),
                  verdictText(each), code(remark(each))});
  }
  if (count == 0) return "";
  return fmt::format("\n<details><summary>{} samples that are not the same</summary>\n\n", count) +
         "| operator | sample | contender | Baseline us | Candidate us | Time | Speedup | 95% interval | Verdict | |\n"
         "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |\n" +
         lines + "\n" + legendText(comparison) + "\n\n</details>\n";
}

}  // namespace

std::string markdown(const Comparison& comparison) {
  const Tally all = total(comparison);
  std::string text = fmt::format("### opbench: {}\n\n", countsText(all));
  text +=
      fmt::format("{} against {}: {} samples, geometric mean of the times {}, total time {}.\n", code(comparison.candidate.file),
                  code(comparison.base.file), all.rows(), ratioText(all.ratio), ratioText(all.ratioByTime));
  if (const std::string control = controlText(comparison); !control.empty()) text += "Control: " + control + ".\n";
  for (const std::string& note : comparison.notes) text += "Note: " + code(note) + "\n";
  text += "\n| operator | samples | ratio | verdicts |\n| --- | ---: | ---: | --- |\n";
  for (const Tally& tally : tallies(comparison))
    text += row({code(tally.op), std::to_string(tally.rows()), ratioText(tally.ratio), countsText(tally)});
  return text + changed(comparison);
}

}  // namespace opbench::compare
