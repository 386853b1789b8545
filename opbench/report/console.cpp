#include "opbench/report/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "opbench/report/phrases.h"
#include "opbench/report/remarks.h"

namespace opbench::report {
namespace {

/// The contender whose bandwidth, compile time and notes a line shows: opbench, or else the last.
const Outcome& shown(const Row& row) {
  for (const Outcome& outcome : row.outcomes)
    if (outcome.contender == Contender::Opbench) return outcome;
  return row.outcomes.back();
}

std::string compileText(const Outcome& outcome) {
  if (outcome.compileMs == 0) return "-";
  return outcome.cached ? "cached" : time(outcome.compileMs * 1e-3);
}

Tone toneOf(const Outcome& outcome) {
  switch (outcome.status) {
    case Status::Ok: return outcome.speedup ? toneOfSpeedup(*outcome.speedup) : Tone::Plain;
    case Status::Wrong:
    case Status::Impossible:
    case Status::Suspect:
    case Status::Crash:
    case Status::Assert:
    case Status::Timeout:
    case Status::Error: return Tone::Bad;
    case Status::Oom:
    case Status::Unsupported:
    case Status::Skipped: return Tone::Warning;
  }
  return Tone::Plain;
}

/// `cold speedup`
std::string secondaryHeading(const Run& run) { return fmt::format("{} speedup", measureName(run, secondaryMeasure(run))); }

/// A sample's columns: times of all contenders; of each but the baseline its speedup; then what tells why.
Columns columnsOf(const Run& run, const Layout& layout) {
  const bool several = run.contenders.size() > 2;
  std::vector<Column> columns;
  for (size_t i = 0; i < run.contenders.size(); ++i) {
    const std::string who(name(run.contenders[i]));
    const int least = run.contenders.size() == 1 ? 13 : 10;  // a lone contender's status stands in place of its time
    columns.push_back({who, std::max(least, static_cast<int>(who.size()) + 2), i > 0 && several ? 2 : 1});
    if (i == 0) continue;
    const std::string what = several ? who + " speedup" : "speedup";
    columns.push_back({what, std::max(14, static_cast<int>(what.size()) + 2), 0});
    const std::string secondary = secondaryHeading(run);
    columns.push_back({secondary, static_cast<int>(secondary.size()) + 2, 4});
  }
  columns.insert(columns.end(), {{"SOL", 6, 3}, {"copy", 6, 3}, {"GB/s", 7, 5}, {"compile", 10, 6}, {"notes", 7, 0}});
  return {"operator", layout.longestOperator, std::move(columns), "sample", layout.room, layout.colour};
}

std::vector<Cell> cellsOf(const Row& row, const Run& run) {
  const Outcome& main = shown(row);
  std::vector<Cell> cells;
  for (const Outcome& outcome : row.outcomes) {
    const bool isBaseline = &outcome == &row.outcomes.front();
    const std::string none(row.outcomes.size() == 1 ? name(outcome.status) : "-");
    cells.push_back({outcome.timing ? time(outcome.timing->median) : none});
    if (isBaseline) continue;
    cells.push_back(
        {speedupText(outcome, outcome.timing ? run.aaNoise.of(outcome.timing->median) : std::nullopt), toneOf(outcome)});
    cells.push_back({speedup(outcome.secondary ? std::optional(outcome.secondary->ratio.median) : std::nullopt)});
  }
  cells.push_back({percent(main.ofRoofline)});
  cells.push_back({percent(main.ofCopy)});
  cells.push_back({gigabytes(main.bytesPerSecond)});
  cells.push_back({compileText(main)});
  cells.push_back({notes(row, main, run), Tone::Faint});
  return cells;
}

/// The lines of a reason, indented; a compiler's log is cut after a dozen.
std::string indented(const std::string& label, const Outcome& outcome, bool colour) {
  constexpr int mostLines = 12;
  std::string result, text;
  std::istringstream lines(label + outcome.reason);
  for (int i = 0; i < mostLines && std::getline(lines, text); ++i) result += "    " + toned(text, toneOf(outcome), colour) + "\n";
  return result;
}

/// Why contenders have no result; said once where it is the same for all.
std::string reasons(const Row& row, bool colour) {
  const Outcome& first = row.outcomes.front();
  const bool same = std::all_of(row.outcomes.begin(), row.outcomes.end(), [&](const Outcome& outcome) {
    return outcome.status == first.status && outcome.reason == first.reason;
  });
  std::string result;
  for (const Outcome& outcome : row.outcomes) {
    if (outcome.status == Status::Ok) continue;
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
  std::string text = "    " + toned(fmt::format("tuned: {}: {}", outcome.schedule, how), Tone::Faint, colour) + "\n";
  for (const std::string& refused : tuning.refused) text += "    " + toned("refused: " + refused, Tone::Bad, colour) + "\n";
  return text;
}

/// `library: baddbmm: 1.21x over ATen's own call, of 4 candidates`; nothing where ATen's own call is the fastest.
std::string libraryText(const Outcome& outcome, bool colour) {
  if (!outcome.libraryTrial || outcome.library.empty()) return "";
  const LibraryTrial& trial = *outcome.libraryTrial;
  const std::string text = fmt::format("library: {}: {} over ATen's own call, of {} candidates{}", outcome.library,
                                       speedup(trial.gain), trial.tried.size(), trial.isStored ? ", found before" : "");
  return "    " + toned(text, Tone::Faint, colour) + "\n";
}

/// `kernels alone: eager 3.21 us (2), opbench 1.90 us (1)`
std::string kernelTimeText(const Row& row, bool colour) {
  std::string text;
  for (const Outcome& outcome : row.outcomes)
    if (outcome.kernelTime)
      text += fmt::format("{}{} {} ({})", text.empty() ? "kernels alone: " : ", ", name(outcome.contender),
                          time(outcome.kernelTime->seconds), outcome.kernelTime->kernels);
  return text.empty() ? text : "    " + toned(text, Tone::Faint, colour) + "\n";
}

/// `counters: opbench  aten_add_Tensor: DRAM 64.0 MB read, 32.1 MB written, L2 hits 33%, tensor 0%, issue 21%, long_scoreboard
/// 84%`, a line for each kernel of each contender.
std::string countersText(const Row& row, bool colour) {
  constexpr double mega = 1e6;
  std::string text;
  const auto add = [&](const Outcome& outcome, const std::string& line) {
    text += "    " + toned(fmt::format("counters: {}  {}", name(outcome.contender), line), Tone::Faint, colour) + "\n";
  };
  for (const Outcome& outcome : row.outcomes) {
    if (!outcome.counters) continue;
    for (const runtime::KernelCounters& kernel : outcome.counters->kernels)
      add(outcome, fmt::format("{}: DRAM {:.3g} MB read, {:.3g} MB written, L2 hits {}, tensor {}, issue {}, {} {}",
                               shortKernel(kernel.kernel), kernel.bytesRead / mega, kernel.bytesWritten / mega,
                               percent(kernel.l2Hits), percent(kernel.tensorActive), percent(kernel.issueActive),
                               kernel.stall.empty() ? "stalls" : kernel.stall, percent(kernel.stallShare)));
    if (!outcome.counters->missing.empty()) add(outcome, "none: " + outcome.counters->missing);
  }
  return text;
}

/// `runs: eager    4.10 us |▂▇█▃ ▁| 5.20 us, 812 runs`, a line for each contender.
std::string runsText(const Row& row, const Layout& layout) {
  size_t longest = 0;
  for (const Outcome& outcome : row.outcomes) longest = std::max(longest, name(outcome.contender).size());
  std::string text;
  for (const Outcome& outcome : row.outcomes) {
    if (!outcome.timing || outcome.timing->histogram.counts.empty()) continue;
    const Histogram& histogram = outcome.timing->histogram;
    text += fmt::format("    {:<{}}  {:>8} |{}| {}, {}\n", name(outcome.contender), longest, time(histogram.low),
                        sparkline(histogram.counts, layout.blocks), time(histogram.high), counted(outcome.timing->runs, "run"));
  }
  return text;
}

}  // namespace

std::string heading(const Run& run, int samples, const Layout& layout) {
  std::string first = fmt::format("{} on {} ({}", run.version, run.deviceName, run.device);
  if (run.threads > 0) first += ", " + counted(run.threads, "thread");
  first += fmt::format("), {}, {}, seed {}\n", run.dtype, counted(samples, "sample"), run.seed);
  if (run.ceilings.copy > 0)
    first += fmt::format("{} times{}; copy {} GB/s, launch overhead {}\n", measureName(run, mainMeasure(run)),
                         run.isAA ? " of each contender against itself (A/A)" : "", gigabytes(run.ceilings.copy),
                         time(run.ceilings.launchOverhead));
  return first + columnsOf(run, layout).heading();
}

std::string columnLegend(const Run& run, const Layout& layout, const std::vector<Columns>& tables) {
  const Columns columns = columnsOf(run, layout);
  std::string text =
      fmt::format("speedup: {}'s time over the contender's, +- half its 95% interval or the A/A noise, whichever is more",
                  name(run.contenders.front()));
  const auto add = [&](const std::string& heading, std::string_view meaning) {
    const bool isInTable = std::any_of(tables.begin(), tables.end(), [&](const Columns& table) { return table.shows(heading); });
    if (isInTable || columns.shows(heading)) text += fmt::format("; {}: {}", heading, meaning);
  };
  const bool isCold = secondaryMeasure(run) == runtime::Measure::Cold;
  add(secondaryHeading(run), isCold ? "with empty caches" : "of runs back to back");
  add("SOL", "share of the roofline");
  add("copy", "a copy of as many bytes over its time");
  add("GB/s", "bytes that must move over the time");
  add("compile", "time to compile its kernels");
  return text;
}

std::string line(const Row& row, const Run& run, const Layout& layout) {
  return columnsOf(run, layout).line(shortOperator(row.op), cellsOf(row, run), {row.brief}) + reasons(row, layout.colour) +
         remarks(row, layout.colour) + tuningText(shown(row), layout.colour) + libraryText(shown(row), layout.colour) +
         kernelTimeText(row, layout.colour) + countersText(row, layout.colour) + (layout.runs ? runsText(row, layout) : "");
}

std::string fallback(const Row& row, const Layout& layout) {
  const Outcome& outcome = shown(row);
  const bool fallsBack =
      outcome.contender == Contender::Opbench && outcome.status == Status::Ok && outcome.kind == runtime::Kind::Fallback;
  if (!fallsBack || outcome.reason.empty()) return "";
  return "    " + toned("library call: " + outcome.reason, Tone::Faint, layout.colour) + "\n";
}

}  // namespace opbench::report
