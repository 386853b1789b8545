#include <fmt/format.h>

#include <algorithm>

#include "opbench/compare/report.h"
#include "opbench/compare/words.h"
#include "opbench/report/format.h"

namespace opbench::compare {
namespace {

using report::cut;
using report::left;
using report::right;
using report::shortOperator;
using report::Tone;
using report::toned;

constexpr int mostWidth = 140, mostOperatorWidth = 34, sampleWidth = 40;
constexpr int contenderWidth = 12, timeWidth = 14, differenceWidth = 12, intervalWidth = 18, countWidth = 10;

Tone toneOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::Fast:
    case Verdict::Fixed: return Tone::Good;
    case Verdict::Slow:
    case Verdict::Wrong:
    case Verdict::Crash:
    case Verdict::Impossible:
    case Verdict::Unfixed: return Tone::Bad;
    case Verdict::Ambiguous:
    case Verdict::Gone: return Tone::Doubtful;
    case Verdict::Same: return Tone::Faint;
    case Verdict::New: return Tone::Plain;
  }
  return Tone::Plain;
}

bool hasChanged(const Compared& row) {
  switch (row.verdict) {
    case Verdict::Same:
    case Verdict::Ambiguous:
    case Verdict::New:
    case Verdict::Gone: return false;
    case Verdict::Fast:
    case Verdict::Slow:
    case Verdict::Wrong:
    case Verdict::Crash:
    case Verdict::Impossible:
    case Verdict::Fixed:
    case Verdict::Unfixed: return true;
  }
  return true;
}

/// Writes the parts of the report in one layout.
class Console {
 public:
  Console(const Comparison& comparison, bool all, bool colour) : comparison_(comparison), all_(all), colour_(colour) {
    for (const Compared& row : comparison.rows) {
      const auto width = static_cast<int>(shortOperator(row.any().op).size());
      operatorWidth_ = std::max(operatorWidth_, std::min(width, mostOperatorWidth));
      severalContenders_ = severalContenders_ || row.any().contender != comparison.rows.front().any().contender;
    }
  }

  std::string text() const { return heading() + rows() + operators() + totals(); }

 private:
  std::string heading() const {
    const auto line = [](const char* what, const results::Results& results) {
      const results::Record& first = results.records.front();
      return fmt::format("{} {}: {} on {} ({}), {}\n", what, results.file, first.version, first.deviceName, first.device,
                         first.dtype);
    };
    std::string text = line("baseline ", comparison_.base) + line("candidate", comparison_.candidate);
    for (const std::string& note : comparison_.notes) text += toned("note: " + note, Tone::Doubtful, colour_) + "\n";
    return text;
  }

  std::string rows() const {
    std::string lines;
    for (const Compared& row : comparison_.rows)
      if (all_ || hasChanged(row)) lines += line(row);
    if (lines.empty()) return "";
    std::string text = left("operator", operatorWidth_) + "  " + left("sample", sampleWidth);
    if (severalContenders_) text += "  " + left("contender", contenderWidth);
    text += right("Baseline us", timeWidth) + right("Candidate us", timeWidth) + right("Difference", differenceWidth) +
            right("95% interval", intervalWidth) + "  Verdict";
    return toned(text, Tone::Strong, colour_) + "\n" + lines;
  }

  std::string line(const Compared& row) const {
    std::string text = left(shortOperator(row.any().op), operatorWidth_) + "  " + left(sampleText(row.any()), sampleWidth);
    if (severalContenders_) text += "  " + left(row.any().contender, contenderWidth);
    text += right(medianText(row.base), timeWidth) + right(medianText(row.candidate), timeWidth) +
            right(differenceText(row), differenceWidth) + right(intervalText(row), intervalWidth) + "  ";
    text += toned(verdictText(row), toneOf(row.verdict), colour_) + "\n";
    if (const std::string why = remark(row); !why.empty())
      text += "    " + toned(cut(why, mostWidth - 4), Tone::Faint, colour_) + "\n";
    return text;
  }

  std::string operators() const {
    std::string text =
        left("operator", operatorWidth_) + right("samples", countWidth) + right("ratio", countWidth) + "  verdicts";
    text = "\n" + toned(text, Tone::Strong, colour_) + "\n";
    for (const Tally& tally : tallies(comparison_))
      text += left(shortOperator(tally.op), operatorWidth_) + right(std::to_string(tally.rows()), countWidth) +
              right(ratioText(tally.ratio), countWidth) + "  " +
              cut(countsText(tally), mostWidth - operatorWidth_ - 2 * countWidth - 2) + "\n";
    return text;
  }

  std::string totals() const {
    const Tally all = total(comparison_);
    std::string text = "\n" + toned(fmt::format("{} samples", all.rows()), Tone::Strong, colour_) + ": " + countsText(all) + "\n";
    if (all.ratio) {
      text += right(ratioText(all.ratio), countWidth) + "  geometric mean of candidate over baseline\n";
      text += right(ratioText(all.ratioByTime), countWidth) + "  in total time, every call as often as it was recorded\n";
    }
    if (all.floorBound > 0)
      text += right(std::to_string(all.floorBound), countWidth) +
              "  as fast as an empty kernel in both: no faster kernel would show\n";
    if (const std::string control = controlText(comparison_); !control.empty()) text += "control: " + control + "\n";
    return text;
  }

  static std::string ratioText(std::optional<double> ratio) { return ratio ? fmt::format("{:.3f}", *ratio) : "-"; }

  const Comparison& comparison_;
  bool all_, colour_;
  int operatorWidth_ = 8;
  bool severalContenders_ = false;
};

}  // namespace

std::string console(const Comparison& comparison, bool all, bool colour) { return Console(comparison, all, colour).text(); }

}  // namespace opbench::compare
