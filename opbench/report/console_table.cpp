#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "opbench/report/console.h"
#include "opbench/report/phrases.h"
#include "opbench/report/remarks.h"

namespace opbench::report {
namespace {

constexpr int figureWidth = 9;  // of a total

Tone toneOf(const Counts& counts) {
  if (failures(counts) > 0) return Tone::Bad;
  return counts.unsupported + counts.ooms > 0 ? Tone::Warning : Tone::Plain;
}

/// The name of a group in prose; results files call the family of library calls `fallback`.
std::string nameOf(const Group& group) {
  return group.name == "fallback" ? "library call" : std::string(shortOperator(group.name));
}

/// A table of groups; with several contenders beside the baseline each has its own line.
class Table {
 public:
  Table(std::string_view what, std::vector<Group> groups, const Run& run, const Layout& layout)
      : groups_(std::move(groups)), several_(run.contenders.size() > 2), hasBars_(layout.blocks && layout.room > 0) {
    for (const Group& group : groups_)
      for (const ContenderSummary& contender : group.contenders)
        if (contender.speedups) largest_ = std::max(largest_, contender.speedups->p50);
    columns_.emplace(columnsOf(what, run, layout));
  }

  const Columns& columns() const { return *columns_; }

  std::string text() const {
    std::string text = "\n" + columns_->heading();
    for (const Group& group : groups_)
      for (size_t i = group.contenders.size() > 1 ? 1 : 0; i < group.contenders.size(); ++i)
        text += line(group, group.contenders[i]);
    return text;
  }

 private:
  Columns columnsOf(std::string_view what, const Run& run, const Layout& layout) const {
    size_t longest = 0;
    for (const Group& group : groups_) longest = std::max(longest, nameOf(group).size());
    const std::string baseline(name(run.contenders.front()));
    const std::string own(several_ ? "its time" : name(run.contenders.back()));
    std::vector<Column> columns;
    if (several_) {
      std::vector<std::string> names;
      for (size_t i = 1; i < run.contenders.size(); ++i) names.emplace_back(name(run.contenders[i]));
      columns.push_back(contenderColumn(names, layout.room));
    }
    columns.insert(columns.end(), {{baseline, std::max(10, static_cast<int>(baseline.size()) + 2), 1},
                                   {own, std::max(10, static_cast<int>(own.size()) + 2), 1},
                                   {"speedup", 9, 0}});
    if (hasBars_) columns.push_back({"", barWidth + 2, 3});
    columns.insert(columns.end(), {{"p20..p80", 14, 2}, {"SOL", 6, 3}, {"GB/s", 7, 4}, {"compile", 10, 5}, {"cached", 10, 5}});
    return {std::string(what), static_cast<int>(longest), std::move(columns), "samples", layout.room, layout.colour};
  }

  std::string line(const Group& group, const ContenderSummary& contender) const {
    std::vector<Cell> cells;
    if (several_) cells.push_back({std::string(name(contender.contender))});
    cells.push_back({time(contender.baselineSeconds)});
    cells.push_back({time(contender.medianSeconds)});
    const auto& speedups = contender.speedups;
    cells.push_back({speedups ? speedup(speedups->p50) : "-", speedups ? toneOfSpeedup(speedups->p50) : Tone::Plain});
    if (hasBars_)
      cells.push_back(
          {speedups ? bar(speedups->p50 / largest_, barWidth) : "", speedups ? toneOfSpeedup(speedups->p50) : Tone::Plain});
    cells.push_back({speedups && contender.timed > 1 ? rangeText(*speedups) : "-"});
    cells.push_back({percent(contender.ofRoofline)});
    cells.push_back({gigabytes(contender.bytesPerSecond)});
    for (const auto& compiling : {contender.coldMs, contender.cachedMs})
      cells.push_back({time(compiling ? std::optional(*compiling * 1e-3) : std::nullopt)});
    return columns_->line(nameOf(group), cells, {countsText(contender), toneOf(contender.counts)});
  }

  /// `0.98..1.02x`
  static std::string rangeText(const Quantiles& quantiles) {
    const std::string low = speedup(quantiles.p20);
    return low.substr(0, low.size() - 1) + ".." + speedup(quantiles.p80);
  }

  static constexpr int barWidth = 10;

  std::vector<Group> groups_;
  bool several_, hasBars_;
  double largest_ = 1;  ///< of the speedups, which has the longest bar
  std::optional<Columns> columns_;
};

/// Lines of figures, each with its meaning.
class Figures {
 public:
  explicit Figures(bool colour) : colour_(colour) {}
  void ratio(double value, const std::string& what) {
    text_ += toned(right(speedup(value), figureWidth), toneOfSpeedup(value), colour_) + "  " + what + "\n";
  }
  /// Nothing of a single sample, whose line has its speedup.
  void mean(const Mean& mean, const std::string& what) {
    if (mean.samples < 2) return;
    std::string text = fmt::format("{}: {}", what, counted(mean.samples, "sample"));
    if (mean.interval) text += fmt::format(", 95% interval {:.2f}..{}", mean.interval->low, speedup(mean.interval->high));
    ratio(mean.ratio, text);
  }
  void count(int number, const std::string& what) {
    if (number > 0) text_ += right(std::to_string(number), figureWidth) + "  " + what + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  bool colour_;
  std::string text_;
};

void addMeans(Figures& figures, const ContenderSummary& contender, const Run& run) {
  const std::string over = fmt::format("geometric mean over {}, ", name(run.contenders.front()));
  figures.mean(contender.generated, over + "generated kernels");
  if (contender.computing.samples > contender.generated.samples) figures.mean(contender.computing, over + "all that compute");
  if (contender.launchBound.samples > 0 && contender.notLaunchBound.samples > 0) {
    figures.mean(contender.launchBound, "of these bound by launch overhead");
    figures.mean(contender.notLaunchBound, "of these not bound by it");
  }
  figures.mean(contender.secondary, fmt::format("{} times, all that compute", measureName(run, secondaryMeasure(run))));
  for (const Lead& lead : contender.leads) figures.mean(lead.mean, fmt::format("geometric mean over {}", name(lead.over)));
  figures.mean(contender.overBest, "geometric mean over the best of the others");
  figures.mean(contender.checkedTooWeakly, "checked too weakly, and in none of the others");
  if (contender.byCalls)
    figures.ratio(*contender.byCalls, fmt::format("in total {} time, weighted by call count: {} saved",
                                                  measureName(run, runtime::Measure::BackToBack), time(contender.savedSeconds)));
}

std::string totals(const ContenderSummary& contender, const Run& run, const Layout& layout) {
  const Contender& baseline = run.contenders.front();
  std::string text = fmt::format("{}: {}", name(contender.contender), counted(contender.counts.samples, "sample"));
  if (const std::string counts = countsText(contender); !counts.empty()) text += " (" + counts + ")";
  text = toned(wrapped(text, layout.room), Tone::Strong, layout.colour) + "\n";
  Figures figures(layout.colour);
  if (contender.timed > 1) addMeans(figures, contender, run);
  if (contender.contender != baseline && contender.counts.samples > 1) {
    const std::string of = fmt::format("of {}", counted(contender.timed, "sample"));
    figures.count(contender.slower, fmt::format("{} more than 5% slower than {}", of, name(baseline)));
    for (const Lead& lead : contender.leads)
      figures.count(lead.slower,
                    fmt::format("of {} more than 5% slower than {}", counted(lead.mean.samples, "sample"), name(lead.over)));
    figures.count(contender.same, fmt::format("{} show no measurable difference from {}", of, name(baseline)));
    figures.count(contender.imprecise, fmt::format("{} timed less precisely than {}", of, width(run.precision)));
  }
  figures.count(contender.throttledRuns, "runs dropped: the clock was throttled");
  return text + figures.text() + remarks(contender, layout.colour);
}

std::string noise(const Summary& summary) {
  std::string text;
  for (const AADifferences& noise : summary.aaDifferences)
    text += fmt::format("A/A noise ({}): median {}, p95 {}, max {} (n={})\n", noise.what, width(noise.p50), width(noise.p95),
                        width(noise.most), noise.timings);
  return text;
}

/// `coverage: 300 of 2108 samples, 91% of their calls`, rounded down.
std::string coverage(const Recorded& covered, const Recorded& all) {
  if (all.samples == 0) return "";
  const double share = 100.0 * static_cast<double>(covered.calls) / static_cast<double>(std::max<int64_t>(all.calls, 1));
  const std::string calls = covered.calls > 0 && share < 1 ? "less than 1" : fmt::format("{:.0f}", std::floor(share));
  return fmt::format("coverage: {} of {}, {}% of their calls\n", covered.samples, counted(all.samples, "sample"), calls);
}

/// `time: 4.1 s; racing 61%, checking 20%, ..`, the stages of samples, what takes most first.
std::string stages(const std::map<std::string, double>& seconds) {
  std::vector<std::pair<double, std::string>> sorted;
  double all = 0;
  for (const auto& [name, own] : seconds) {
    sorted.emplace_back(own, name);
    all += own;
  }
  if (all <= 0) return "";
  std::sort(sorted.rbegin(), sorted.rend());
  std::vector<std::string> shares;
  for (const auto& [own, name] : sorted) shares.push_back(fmt::format("{} {:.0f}%", name, 100 * own / all));
  return fmt::format("time: {:.1f} s; {}\n", all, fmt::join(shares, ", "));
}

std::string legends(const Group& total, const std::vector<Table>& tables, const Run& run, const Layout& layout) {
  if (run.contenders.size() < 2) return "";
  std::vector<Columns> columns;
  for (const Table& table : tables) columns.push_back(table.columns());
  std::string text = wrapped(columnLegend(run, layout, columns), layout.room);
  const auto shown = std::find_if(total.contenders.begin(), total.contenders.end(),
                                  [](const ContenderSummary& contender) { return contender.contender == Contender::Opbench; });
  const std::string marks = legend(shown == total.contenders.end() ? total.contenders.back() : *shown);
  if (!marks.empty()) text += "\n" + wrapped("notes: " + marks, layout.room);
  return "\n" + toned(text, Tone::Faint, layout.colour) + "\n";
}

}  // namespace

std::string table(const Summary& summary, const Run& run, const Layout& layout) {
  std::vector<Table> tables;
  std::vector<std::vector<int>> told;  // samples whose figures are shown: of a single one by its line, of several by a table
  const auto section = [&](std::string_view what, std::vector<Group> groups) {
    std::erase_if(groups, [&](const Group& group) {
      const bool isALine = layout.hasLines && group.samples.size() == 1;
      return isALine || std::find(told.begin(), told.end(), group.samples) != told.end();
    });
    for (const Group& group : groups) told.push_back(group.samples);
    if (!groups.empty()) tables.emplace_back(what, std::move(groups), run, layout);
  };
  section("operator", summary.operators);
  told.push_back(summary.total.samples);  // the totals below are of these
  section("family", summary.families);
  section("size", summary.sizes);
  std::string text = layout.hasLines ? legends(summary.total, tables, run, layout) : "";
  for (const Table& table : tables) text += table.text();
  text += "\n";
  // Networks have said all in tables of their own, and contenders that they alone have come after the run's.
  for (size_t i = run.contenders.size() > 1 ? 1 : 0; i < run.contenders.size(); ++i)
    text += totals(summary.total.contenders[i], run, layout);
  return text + noise(summary) + stages(summary.stageSeconds) + coverage(summary.covered, run.recorded);
}

}  // namespace opbench::report
