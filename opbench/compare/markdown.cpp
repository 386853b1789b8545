#include <fmt/format.h>

#include "opbench/compare/report.h"
#include "opbench/compare/words.h"

namespace opbench::compare {
namespace {

/// A table's cell: one line, with nothing that would end the cell or begin a tag.
std::string cell(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '[') result += '\\';
    result += c == '\n' ? ' ' : c == '<' ? '(' : c == '>' ? ')' : c;
  }
  return result;
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& each : cells) text += " " + cell(each) + " |";
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
    lines += row({each.any().op, sampleText(each.any()), each.any().contender, medianText(each.base), medianText(each.candidate),
                  differenceText(each), intervalText(each), verdictText(each), remark(each)});
  }
  if (count == 0) return "";
  return fmt::format("\n<details><summary>{} samples that are not the same</summary>\n\n", count) +
         "| operator | sample | contender | Baseline us | Candidate us | Difference | 95% interval | Verdict | |\n"
         "| --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- |\n" +
         lines + "\n</details>\n";
}

}  // namespace

std::string markdown(const Comparison& comparison) {
  const Tally all = total(comparison);
  std::string text = fmt::format("### opbench: {}\n\n", countsText(all));
  text +=
      fmt::format("{} against {}: {} samples, geometric mean of the times {}, total time {}.\n", cell(comparison.candidate.file),
                  cell(comparison.base.file), all.rows(), ratioText(all.ratio), ratioText(all.ratioByTime));
  if (const std::string control = controlText(comparison); !control.empty()) text += "Control: " + control + ".\n";
  for (const std::string& note : comparison.notes) text += "Note: " + cell(note) + ".\n";
  text += "\n| operator | samples | ratio | verdicts |\n| --- | ---: | ---: | --- |\n";
  for (const Tally& tally : tallies(comparison))
    text += row({tally.op, std::to_string(tally.rows()), ratioText(tally.ratio), countsText(tally)});
  return text + changed(comparison);
}

}  // namespace opbench::compare
