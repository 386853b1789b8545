#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "opbench/compare/phrases.h"
#include "opbench/compare/report.h"
#include "opbench/report/columns.h"
#include "opbench/report/phrases.h"

namespace opbench::compare {
namespace {

using report::Cell;
using report::Column;
using report::Columns;
using report::right;
using report::shortOperator;
using report::Tone;
using report::toned;

constexpr int countWidth = 10;

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
    case Verdict::Gone: return Tone::Warning;
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
  Console(const Comparison& comparison, bool all, bool colour, int room)
      : comparison_(comparison), all_(all), colour_(colour), room_(room) {
    for (const Compared& row : comparison.rows) {
      const auto width = static_cast<int>(shortOperator(row.any().op).size());
      longestOperator_ = std::max(longestOperator_, width);
      contenders_.insert(row.any().contender);
      hasSpeedups_ = hasSpeedups_ || row.isOverEager;
    }
  }

  std::string text() const { return heading() + rows() + operators() + totals(); }

 private:
  std::string heading() const {
    const auto line = [this](const char* what, const results::Results& results) {
      const results::Record& first = results.records.front();
      const std::string text =
          fmt::format("{} {}: {} on {} ({}), {}", what, results.file, first.version, first.deviceName, first.device, first.dtype);
      return report::wrapped(text, room_) + "\n";
    };
    std::string text = line("baseline ", comparison_.base) + line("candidate", comparison_.candidate);
    for (const std::string& note : comparison_.notes)
      text += toned(report::wrapped("note: " + note, room_), Tone::Warning, colour_) + "\n";
    return text;
  }

  std::string rows() const {
    std::vector<Column> figures;
    if (contenders_.size() > 1) figures.push_back(report::contenderColumn({contenders_.begin(), contenders_.end()}, room_));
    figures.insert(figures.end(), {{"baseline", 10, 1}, {"candidate", 11, 1}, {"time", 9, 0}});
    if (hasSpeedups_) figures.push_back({"speedup", 9, 0});
    figures.insert(figures.end(), {{"95% interval", 18, 2}, {"verdict", 18, 0}});
    const Columns columns("operator", longestOperator_, std::move(figures), "sample", room_, colour_);
    std::string lines;
    for (const Compared& row : comparison_.rows)
      if (all_ || hasChanged(row)) lines += line(row, columns);
    if (lines.empty()) return "";
    const std::string legend = legendText(comparison_);
    return columns.heading() + lines +
           (legend.empty() ? "" : "\n" + toned(report::wrapped(legend, room_), Tone::Faint, colour_) + "\n");
  }

  std::string line(const Compared& row, const Columns& columns) const {
    std::vector<Cell> cells;
    if (contenders_.size() > 1) cells.push_back({row.any().contender});
    for (const results::Record* record : {row.base, row.candidate}) cells.push_back({timeText(record)});
    cells.push_back({timeChangeText(row)});
    if (hasSpeedups_) cells.push_back({speedupChangeText(row)});
    cells.push_back({intervalText(row)});
    cells.push_back({verdictText(row), toneOf(row.verdict)});
    std::string text = columns.line(shortOperator(row.any().op), cells, {sampleText(row.any())});
    if (const std::string why = remark(row); !why.empty()) text += "    " + toned(why, Tone::Faint, colour_) + "\n";
    return text;
  }

  std::string operators() const {
    const Columns columns("operator", longestOperator_, {{"samples", countWidth, 0}, {"ratio", countWidth, 0}}, "verdicts", room_,
                          colour_);
    std::string text = "\n" + columns.heading();
    for (const Tally& tally : tallies(comparison_))
      text +=
          columns.line(shortOperator(tally.op), {{std::to_string(tally.rows())}, {ratioText(tally.ratio)}}, {countsText(tally)});
    return text;
  }

  std::string totals() const {
    const Tally all = total(comparison_);
    const std::string counts = fmt::format("{}: {}", report::counted(all.rows(), "sample"), countsText(all));
    std::string text = "\n" + toned(report::wrapped(counts, room_), Tone::Strong, colour_) + "\n";
    if (all.ratio) {
      text += right(ratioText(all.ratio), countWidth) + "  geometric mean of candidate over baseline\n";
      text += right(ratioText(all.ratioByTime), countWidth) + "  in total time, weighted by call count\n";
    }
    if (all.launchBound > 0)
      text += right(std::to_string(all.launchBound), countWidth) + "  bound by launch overhead in both files\n";
    if (const std::string control = controlText(comparison_); !control.empty())
      text += report::wrapped("control: " + control, room_) + "\n";
    return text;
  }

  static std::string timeText(const results::Record* record) {
    if (!record) return "-";
    return record->disposition == results::Disposition::Measured ? report::time(*record->median * 1e-6) : record->status;
  }

  static std::string ratioText(std::optional<double> ratio) { return ratio ? fmt::format("{:.3f}", *ratio) : "-"; }

  const Comparison& comparison_;
  bool all_, colour_;
  int room_;
  int longestOperator_ = 0;
  std::set<std::string> contenders_;
  bool hasSpeedups_ = false;  ///< whether contenders ran beside eager
};

}  // namespace

std::string console(const Comparison& comparison, bool all, bool colour, int room) {
  return Console(comparison, all, colour, room).text();
}

}  // namespace opbench::compare
