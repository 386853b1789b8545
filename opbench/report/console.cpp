#include "opbench/report/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "opbench/report/format.h"

namespace opbench::report {
namespace {

constexpr int totalWidth = 132;  // of a sample's line
constexpr int mostWidth = 140;   // of any
constexpr int leastSampleWidth = 16, mostOperatorWidth = 34;
constexpr int kindWidth = 11, speedupWidth = 9, bandwidthWidth = 7, copyWidth = 7, compileWidth = 9, millisecondsWidth = 9;
constexpr int contenderWidth = 13;

/// `opbench us`
std::string timeHeading(Contender contender) { return fmt::format("{} us", name(contender)); }

int timeWidth(Contender contender) { return std::max(11, static_cast<int>(timeHeading(contender).size()) + 2); }

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
    case Status::Error: return Tone::Bad;
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

struct CountName {
  int Counts::* count;
  std::string_view name, brief;
};
constexpr CountName countNames[] = {{&Counts::generated, "generated", "gen"}, {&Counts::externs, "extern", "ext"},
                                    {&Counts::views, "view", "view"},         {&Counts::wrong, "wrong", "wrong"},
                                    {&Counts::errors, "error", "err"},        {&Counts::unsupported, "unsupported", "unsup"},
                                    {&Counts::skipped, "skipped", "skip"}};

/// The parts of a count that are not zero: `12 generated, 3 extern, 1 wrong`.
std::string countsText(const Counts& counts, std::string_view CountName::* spelling) {
  std::string text;
  for (const CountName& entry : countNames)
    if (counts.*entry.count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts.*entry.count, entry.*spelling);
  return text;
}

Tone toneOf(const Counts& counts) {
  if (counts.wrong + counts.errors > 0) return Tone::Bad;
  return counts.unsupported > 0 ? Tone::Doubtful : Tone::Plain;
}

/// The table below the lines; with several contenders beside the baseline each has its own line.
class Table {
 public:
  Table(const Run& run, const Layout& layout) : run_(run), layout_(layout), several_(run.contenders.size() > 2) {}

  std::string heading() const {
    std::string text = left("operator", layout_.operatorWidth);
    if (several_) text += "  " + left("contender", contenderWidth - 2);
    for (const char* quantile : {"p20", "p50", "p80"}) text += right(quantile, speedupWidth);
    text += right(timeHeading(baseline()), timeWidth(baseline())) + right(several_ ? "its us" : timeHeading(last()), ownWidth());
    text += right("GB/s", bandwidthWidth) + right("%copy", copyWidth) + right("cold ms", millisecondsWidth);
    return toned(text + right("cached", millisecondsWidth) + "  samples", Tone::Strong, layout_.colour) + "\n";
  }

  std::string line(const Group& group, const Standing& standing) const {
    std::string text = left(shortOperator(group.op), layout_.operatorWidth);
    if (several_) text += "  " + left(name(standing.contender), contenderWidth - 2);
    for (double Quantiles::* q : {&Quantiles::p20, &Quantiles::p50, &Quantiles::p80})
      text += speedupText(standing.speedups ? std::optional((*standing.speedups).*q) : std::nullopt, layout_.colour);
    text += right(microseconds(standing.baselineSeconds), timeWidth(baseline())) +
            right(microseconds(standing.medianSeconds), ownWidth());
    text += right(gigabytes(standing.bytesPerSecond), bandwidthWidth) + right(percent(standing.ofCopy), copyWidth);
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
        3 * speedupWidth + timeWidth(baseline()) + ownWidth() + bandwidthWidth + copyWidth + 2 * millisecondsWidth + 2;
    return mostWidth - layout_.operatorWidth - (several_ ? contenderWidth : 0) - figures;
  }

  const Run& run_;
  const Layout& layout_;
  bool several_;
};

std::string totals(const Standing& standing, Contender baseline, const Layout& layout) {
  std::string text =
      toned(fmt::format("{}: {}", name(standing.contender), samplesText(standing.counts.samples)), Tone::Strong, layout.colour);
  text += fmt::format(" ({})\n", countsText(standing.counts, &CountName::name));
  const auto figure = [&](double ratio, const std::string& what) {
    text += speedupText(ratio, layout.colour) + "  " + what + "\n";
  };
  const auto mean = [&](const Mean& of, std::string_view what) {
    if (of.samples > 0)
      figure(of.ratio, fmt::format("geometric mean over {}: {}, {}", name(baseline), samplesText(of.samples), what));
  };
  mean(standing.generated, "generated kernels");
  if (standing.computing.samples > standing.generated.samples) mean(standing.computing, "all that compute");
  if (standing.byCalls) figure(*standing.byCalls, "in total time, every call as often as it was recorded");
  if (standing.timed == 0 || standing.contender == baseline) return text;
  return text + fmt::format("{}  of {} more than 5% slower than {}\n", right(std::to_string(standing.slower), speedupWidth),
                            samplesText(standing.timed), name(baseline));
}

}  // namespace

Layout layoutFor(int longestOperator, const std::vector<Contender>& contenders, bool colour) {
  Layout layout;
  layout.colour = colour;
  layout.operatorWidth = std::clamp(longestOperator, static_cast<int>(std::string_view("operator").size()), mostOperatorWidth);
  int figures = kindWidth + bandwidthWidth + copyWidth + compileWidth;
  for (Contender contender : contenders) figures += timeWidth(contender) + (contender == contenders.front() ? 0 : speedupWidth);
  layout.sampleWidth = std::max(leastSampleWidth, totalWidth - layout.operatorWidth - figures - 4);
  return layout;
}

std::string heading(const Run& run, int samples, const Layout& layout) {
  std::string first = fmt::format("{} on {} ({}", run.version, run.deviceName, run.device);
  if (run.threads > 0) first += fmt::format(", {} threads", run.threads);
  first +=
      fmt::format("), {}, {}, copy {} GB/s, seed {}", run.dtype, samplesText(samples), gigabytes(run.copyBandwidth), run.seed);
  std::string second =
      left("operator", layout.operatorWidth) + "  " + left("sample", layout.sampleWidth) + "  " + left("kind", kindWidth);
  for (Contender contender : run.contenders) second += right(timeHeading(contender), timeWidth(contender));
  for (size_t i = 1; i < run.contenders.size(); ++i) second += right("speedup", speedupWidth);
  second += right("GB/s", bandwidthWidth) + right("%copy", copyWidth) + right("compile", compileWidth);
  return first + "\n" + toned(second, Tone::Strong, layout.colour) + "\n";
}

std::string line(const Row& row, const Layout& layout) {
  const Outcome& main = shown(row);
  std::string text = left(shortOperator(row.op), layout.operatorWidth) + "  " + left(row.brief, layout.sampleWidth) + "  ";
  text += kindText(main, layout.colour);
  for (const Outcome& outcome : row.outcomes) {
    const auto seconds = outcome.timing ? std::optional(outcome.timing->median) : std::nullopt;
    text += right(microseconds(seconds), timeWidth(outcome.contender));
  }
  for (size_t i = 1; i < row.outcomes.size(); ++i) text += speedupText(row.outcomes[i].speedup, layout.colour);
  text += right(gigabytes(main.bytesPerSecond), bandwidthWidth) + right(percent(main.ofCopy), copyWidth);
  return text + right(compileText(main), compileWidth) + "\n" + reasons(row, layout.colour) + tuningText(main, layout.colour);
}

std::string table(const Summary& summary, const Run& run, const Layout& layout) {
  const size_t first = run.contenders.size() > 1 ? 1 : 0;
  const Table table(run, layout);
  std::string text = "\n" + table.heading();
  for (const Group& group : summary.operators)
    for (size_t i = first; i < group.standings.size(); ++i) text += table.line(group, group.standings[i]);
  text += "\n";
  for (size_t i = first; i < summary.total.standings.size(); ++i)
    text += totals(summary.total.standings[i], run.contenders.front(), layout);
  return text;
}

}  // namespace opbench::report
