#include "opbench/report/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "opbench/report/doubts.h"
#include "opbench/report/format.h"

namespace opbench::report {
namespace {

constexpr int totalWidth = 150;  // of a sample's line, without its notes
constexpr int mostWidth = 160;   // of any, but for notes
constexpr int leastSampleWidth = 16, mostOperatorWidth = 34;
constexpr int kindWidth = 11, speedupWidth = 9, bandwidthWidth = 7, lightWidth = 6, compileWidth = 9, millisecondsWidth = 9;
constexpr int contenderWidth = 13, besideWidth = 9, intervalWidth = 7;

/// `opbench us`
std::string timeHeading(Contender contender) { return fmt::format("{} us", name(contender)); }

/// Of the main measure's time; the other's follows in parentheses.
int timeWidth(Contender contender) { return std::max(11, static_cast<int>(timeHeading(contender).size()) + 2); }

/// ` (1.85)`: the other measure beside the main one.
std::string besideText(const std::string& text) {
  return fmt::format(" {:<{}}", text == "-" ? "" : "(" + text + ")", besideWidth - 1);
}

/// The contender whose kind, bandwidth and compile time a line shows: opbench, or else the last.
const Outcome& shown(const Row& row) {
  for (const Outcome& outcome : row.outcomes)
    if (outcome.contender == Contender::Opbench) return outcome;
  return row.outcomes.back();
}

std::string compileText(const Outcome& outcome) {
  if (outcome.kernels == 0) return "-";
  return outcome.cached ? "cached" : fmt::format("{} ms", milliseconds(outcome.compileMs));
}

Tone toneOf(const Outcome& outcome) {
  switch (outcome.status) {
    case Status::Ok: return outcome.kind == runtime::Kind::Generated ? Tone::Plain : Tone::Faint;
    case Status::Wrong:
    case Status::Impossible:
    case Status::Crash:
    case Status::Assert:
    case Status::Timeout:
    case Status::Error: return Tone::Bad;
    case Status::Oom:
    case Status::Unsupported:
    case Status::Skipped: return Tone::Doubtful;
  }
  return Tone::Plain;
}

/// `generated`, or why there is no result.
std::string kindText(const Outcome& outcome, bool colour) {
  const std::string_view text = outcome.status == Status::Ok ? runtime::name(outcome.kind) : name(outcome.status);
  return toned(left(text, kindWidth), toneOf(outcome), colour);
}

std::string speedupText(std::optional<double> ratio, bool colour) {
  return toned(right(speedup(ratio), speedupWidth), ratio ? toneOfSpeedup(*ratio) : Tone::Plain, colour);
}

/// The lines of a reason, indented; a compiler's log is cut after a dozen.
std::string indented(const std::string& label, const Outcome& outcome, bool colour) {
  constexpr int mostLines = 12;
  std::string result, text;
  std::istringstream lines(label + outcome.reason);
  for (int i = 0; i < mostLines && std::getline(lines, text); ++i) result += "    " + toned(text, toneOf(outcome), colour) + "\n";
  return result;
}

/// `1 sample`, `2 samples`
std::string samplesText(int number) { return fmt::format("{} sample{}", number, number == 1 ? "" : "s"); }

/// Why contenders have no result; said once where it is the same for all, and not where the user left the sample out.
std::string reasons(const Row& row, bool colour) {
  const Outcome& first = row.outcomes.front();
  const bool same = std::all_of(row.outcomes.begin(), row.outcomes.end(), [&](const Outcome& outcome) {
    return outcome.status == first.status && outcome.reason == first.reason;
  });
  std::string result;
  for (const Outcome& outcome : row.outcomes) {
    if (outcome.status == Status::Ok || outcome.status == Status::Skipped) continue;
    if (same) return indented("", outcome, colour);
    result += indented(fmt::format("{}: ", name(outcome.contender)), outcome, colour);
  }
  return result;
}

/// `tuned: rows group 64 ..., 1.12x over the default of 9 tried`, and what could not be tried.
std::string tuningText(const Outcome& outcome, bool colour) {
  if (!outcome.tuning || outcome.schedule.empty()) return "";
  const Tuning& tuning = *outcome.tuning;
  std::string how = tuning.gain > 1 ? speedup(tuning.gain) + " over the default" : "the default";
  if (tuning.candidates == 1)
    how = "the only candidate";
  else
    how += tuning.isStored ? ", found before" : fmt::format(", of {} candidates", tuning.candidates);
  std::string text =
      "    " + toned(cut(fmt::format("tuned: {}: {}", outcome.schedule, how), mostWidth - 4), Tone::Faint, colour) + "\n";
  for (const std::string& refused : tuning.refused) text += "    " + toned("refused: " + refused, Tone::Bad, colour) + "\n";
  return text;
}

/// `kernels alone: eager 3.21 us (2), opbench 1.90 us (1)`
std::string kernelTimeText(const Row& row, bool colour) {
  std::string text;
  for (const Outcome& outcome : row.outcomes)
    if (outcome.kernelTime)
      text += fmt::format("{}{} {} us ({})", text.empty() ? "kernels alone: " : ", ", name(outcome.contender),
                          microseconds(outcome.kernelTime->seconds), outcome.kernelTime->kernels);
  return text.empty() ? text : "    " + toned(text, Tone::Faint, colour) + "\n";
}

struct CountName {
  int Counts::* count;
  std::string_view name, brief;
};
constexpr CountName countNames[] = {{&Counts::generated, "generated", "gen"},
                                    {&Counts::externs, "extern", "ext"},
                                    {&Counts::views, "view", "view"},
                                    {&Counts::wrong, "wrong", "wrong"},
                                    {&Counts::impossible, "impossible", "imposs"},
                                    {&Counts::errors, "error", "err"},
                                    {&Counts::crashes, "crash", "crash"},
                                    {&Counts::asserts, "assert", "assert"},
                                    {&Counts::timeouts, "timeout", "timeout"},
                                    {&Counts::ooms, "oom", "oom"},
                                    {&Counts::unsupported, "unsupported", "unsup"},
                                    {&Counts::skipped, "skipped", "skip"}};

/// The parts of a count that are not zero: `12 generated, 3 extern, 1 wrong`.
std::string countsText(const Counts& counts, std::string_view CountName::* spelling) {
  std::string text;
  for (const CountName& entry : countNames)
    if (counts.*entry.count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts.*entry.count, entry.*spelling);
  return text;
}

Tone toneOf(const Counts& counts) {
  if (failures(counts) > 0) return Tone::Bad;
  return counts.unsupported + counts.ooms > 0 ? Tone::Doubtful : Tone::Plain;
}

/// The table below the lines; with several contenders beside the baseline each has its own line.
class Table {
 public:
  Table(const Run& run, const Layout& layout) : run_(run), layout_(layout), several_(run.contenders.size() > 2) {}

  std::string heading(std::string_view what) const {
    std::string text = left(what, layout_.operatorWidth);
    if (several_) text += "  " + left("contender", contenderWidth - 2);
    for (const char* quantile : {"p20", "p50", "p80"}) text += right(quantile, speedupWidth);
    text += right(timeHeading(baseline()), timeWidth(baseline())) + right(several_ ? "its us" : timeHeading(last()), ownWidth());
    text += right("GB/s", bandwidthWidth) + right("%SoL", lightWidth) + right("cold ms", millisecondsWidth);
    return toned(text + right("cached", millisecondsWidth) + "  samples", Tone::Strong, layout_.colour) + "\n";
  }

  std::string line(const Group& group, const Standing& standing) const {
    std::string text = left(shortOperator(group.name), layout_.operatorWidth);
    if (several_) text += "  " + left(name(standing.contender), contenderWidth - 2);
    for (double Quantiles::* q : {&Quantiles::p20, &Quantiles::p50, &Quantiles::p80})
      text += speedupText(standing.speedups ? std::optional((*standing.speedups).*q) : std::nullopt, layout_.colour);
    text += right(microseconds(standing.baselineSeconds), timeWidth(baseline())) +
            right(microseconds(standing.medianSeconds), ownWidth());
    text += right(gigabytes(standing.bytesPerSecond), bandwidthWidth) + right(percent(standing.ofLight), lightWidth);
    text += right(milliseconds(standing.coldMs), millisecondsWidth) + right(milliseconds(standing.cachedMs), millisecondsWidth) +
            "  ";
    return text +
           toned(cut(countsText(standing.counts, &CountName::brief), countsWidth()), toneOf(standing.counts), layout_.colour) +
           "\n";
  }

 private:
  Contender baseline() const { return run_.contenders.front(); }
  Contender last() const { return run_.contenders.back(); }
  int ownWidth() const { return several_ ? 10 : timeWidth(last()); }
  int countsWidth() const {
    const int figures =
        3 * speedupWidth + timeWidth(baseline()) + ownWidth() + bandwidthWidth + lightWidth + 2 * millisecondsWidth + 2;
    return mostWidth - layout_.operatorWidth - (several_ ? contenderWidth : 0) - figures;
  }

  const Run& run_;
  const Layout& layout_;
  bool several_;
};

/// Lines of figures, each with what it says.
class Figures {
 public:
  explicit Figures(bool colour) : colour_(colour) {}
  void ratio(double value, const std::string& what) { text_ += speedupText(value, colour_) + "  " + what + "\n"; }
  void mean(const Mean& mean, const std::string& what) {
    if (mean.samples > 0) ratio(mean.ratio, fmt::format("{}: {}", what, samplesText(mean.samples)));
  }
  void count(int number, const std::string& what) {
    if (number > 0) text_ += right(std::to_string(number), speedupWidth) + "  " + what + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  bool colour_;
  std::string text_;
};

std::string totals(const Standing& standing, const Run& run, const Layout& layout) {
  const Contender baseline = run.contenders.front();
  std::string text =
      toned(fmt::format("{}: {}", name(standing.contender), samplesText(standing.counts.samples)), Tone::Strong, layout.colour);
  if (const std::string counts = countsText(standing.counts, &CountName::name); !counts.empty()) text += " (" + counts + ")";
  text += "\n";
  const std::string over = fmt::format("geometric mean over {}, ", name(baseline));
  Figures figures(layout.colour);
  figures.mean(standing.generated, over + "generated kernels");
  if (standing.computing.samples > standing.generated.samples) figures.mean(standing.computing, over + "all that compute");
  if (standing.floorBound.samples > 0) {
    figures.mean(standing.floorBound, fmt::format("of these within 20% of the floor ({} us)", microseconds(run.ceilings.floor)));
    figures.mean(standing.aboveFloor, "of these above it");
  }
  figures.mean(standing.beside, fmt::format("{}, all that compute", measureName(run, besideMeasure(run))));
  if (standing.byCalls)
    figures.ratio(*standing.byCalls, fmt::format("in total time, every call as often as it was recorded: {} ms saved",
                                                 milliseconds(*standing.savedSeconds * 1e3)));
  if (standing.contender != baseline) {
    const std::string of = fmt::format("of {}", samplesText(standing.timed));
    figures.count(standing.slower, fmt::format("{} more than 5% slower than {}", of, name(baseline)));
    figures.count(standing.same, fmt::format("{} not to be told from {}", of, name(baseline)));
    figures.count(standing.imprecise, fmt::format("{} timed less precisely than {}", of, width(run.precision)));
    figures.count(standing.throttledRuns, "runs dropped because the clock was throttled");
  }
  return text + figures.text() + doubts(standing, layout.colour);
}

std::string spreads(const Summary& summary) {
  std::string text;
  for (const Spread& spread : summary.spreads)
    text +=
        fmt::format("two runs of one contender, {}: half differ by less than {}, 95% by less than {}, all by less than {} ({})\n",
                    spread.what, width(spread.p50), width(spread.p95), width(spread.most), spread.timings);
  return text;
}

/// `coverage: 300 of 2108 samples, 91% of the recorded calls`, rounded down.
std::string coverage(const Recorded& covered, const Recorded& all) {
  if (all.samples == 0) return "";
  const double share = 100.0 * static_cast<double>(covered.calls) / static_cast<double>(std::max<int64_t>(all.calls, 1));
  const std::string calls = covered.calls > 0 && share < 1 ? "less than 1" : fmt::format("{:.0f}", std::floor(share));
  return fmt::format("coverage: {} of {}, {}% of the recorded calls\n", covered.samples,
                     samplesText(static_cast<int>(all.samples)), calls);
}

/// What a reader has to know about a sample's figures: `floor` where the baseline takes about as long as a kernel that does
/// nothing, `same` where the speedup is not to be told from 1, `max-time` where timing ended early, `throttled`.
std::string notes(const Row& row, const Outcome& outcome, const Run& run) {
  std::string text;
  if (!outcome.timing) return text;
  if (row.isFloorBound) text += " floor";
  if (isSame(outcome, run)) text += " same";
  if (row.heat && row.heat->stopped == Stop::MaxTime) text += " max-time";
  if (row.heat && (row.heat->isThrottled || row.heat->dropped > 0)) text += " throttled";
  return text.empty() ? text : " " + text;
}

}  // namespace

Layout layoutFor(int longestOperator, const std::vector<Contender>& contenders, bool colour) {
  Layout layout;
  layout.colour = colour;
  layout.operatorWidth = std::clamp(longestOperator, static_cast<int>(std::string_view("operator").size()), mostOperatorWidth);
  int figures = kindWidth + bandwidthWidth + lightWidth + compileWidth;
  for (Contender contender : contenders)
    figures +=
        timeWidth(contender) + besideWidth + (contender == contenders.front() ? 0 : speedupWidth + besideWidth + intervalWidth);
  layout.sampleWidth = std::max(leastSampleWidth, totalWidth - layout.operatorWidth - figures - 4);
  return layout;
}

std::string heading(const Run& run, int samples, const Layout& layout) {
  std::string first = fmt::format("{} on {} ({}", run.version, run.deviceName, run.device);
  if (run.threads > 0) first += fmt::format(", {} threads", run.threads);
  first += fmt::format("), {}, {}, copy {} GB/s, floor {} us, seed {}; times are {} ({})", run.dtype, samplesText(samples),
                       gigabytes(run.ceilings.copy), microseconds(run.ceilings.floor), run.seed,
                       measureName(run, mainMeasure(run)), measureName(run, besideMeasure(run)));
  if (run.isSelfTest) first += "; speedups are of each contender over itself";
  std::string second =
      left("operator", layout.operatorWidth) + "  " + left("sample", layout.sampleWidth) + "  " + left("kind", kindWidth);
  const std::string aside(besideWidth, ' ');
  for (Contender contender : run.contenders) second += right(timeHeading(contender), timeWidth(contender)) + aside;
  for (size_t i = 1; i < run.contenders.size(); ++i)
    second += right("speedup", speedupWidth) + aside + right("+-", intervalWidth);
  second += right("GB/s", bandwidthWidth) + right("%SoL", lightWidth) + right("compile", compileWidth);
  return first + "\n" + toned(second, Tone::Strong, layout.colour) + "\n";
}

std::string line(const Row& row, const Run& run, const Layout& layout) {
  const Outcome& main = shown(row);
  std::string text = left(shortOperator(row.op), layout.operatorWidth) + "  " + left(row.brief, layout.sampleWidth) + "  ";
  text += kindText(main, layout.colour);
  const auto medianOf = [](const std::optional<Timing>& timing) { return timing ? std::optional(timing->median) : std::nullopt; };
  for (const Outcome& outcome : row.outcomes)
    text += right(microseconds(medianOf(outcome.timing)), timeWidth(outcome.contender)) +
            besideText(microseconds(medianOf(outcome.beside)));
  for (size_t i = 1; i < row.outcomes.size(); ++i) {
    const Outcome& outcome = row.outcomes[i];
    text += speedupText(outcome.speedup, layout.colour) +
            besideText(speedup(outcome.beside ? std::optional(outcome.beside->ratio.median) : std::nullopt)) +
            right(width(outcome.speedup ? std::optional(outcome.timing->ratio.width() / 2) : std::nullopt), intervalWidth);
  }
  text += right(gigabytes(main.bytesPerSecond), bandwidthWidth) + right(percent(main.ofLight), lightWidth);
  text += right(compileText(main), compileWidth) + toned(notes(row, main, run), Tone::Faint, layout.colour);
  return text + "\n" + reasons(row, layout.colour) + doubts(row, layout.colour) + tuningText(main, layout.colour) +
         kernelTimeText(row, layout.colour);
}

std::string table(const Summary& summary, const Run& run, const Layout& layout) {
  const size_t first = run.contenders.size() > 1 ? 1 : 0;
  const Table table(run, layout);
  std::string text;
  const auto section = [&](std::string_view what, const std::vector<Group>& groups) {
    if (groups.empty()) return;
    text += "\n" + table.heading(what);
    for (const Group& group : groups)
      for (size_t i = first; i < group.standings.size(); ++i) text += table.line(group, group.standings[i]);
  };
  section("operator", summary.operators);
  if (summary.operators.size() > 1) section("family", summary.families);
  if (summary.sizes.size() > 1) section("size", summary.sizes);
  text += "\n";
  for (size_t i = first; i < summary.total.standings.size(); ++i) text += totals(summary.total.standings[i], run, layout);
  return text + spreads(summary) + coverage(summary.covered, run.recorded);
}

}  // namespace opbench::report
