#include "opbench/compare/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inputs/sample.h"
#include "opbench/report/format.h"
#include "opbench/report/phrases.h"
#include "opbench/results/brief.h"

namespace opbench::compare {
namespace {

using results::Record;

std::string_view word(Ambiguity ambiguity) {
  switch (ambiguity) {
    case Ambiguity::None: return "";
    case Ambiguity::Gap: return "gap";
    case Ambiguity::Noise: return "noise";
    case Ambiguity::Drift: return "drift";
    case Ambiguity::Clock: return "clock";
    case Ambiguity::Few: return "few";
  }
  return "";
}

std::string_view meaning(Ambiguity ambiguity) {
  switch (ambiguity) {
    case Ambiguity::None: return "";
    case Ambiguity::Gap: return "intervals apart, but by less than the gap";
    case Ambiguity::Noise: return "intervals overlap or are wide, or runs scatter or were interrupted";
    case Ambiguity::Drift: return "the machine changed, or scatters, by as much";
    case Ambiguity::Clock: return "the clock changed, the cycles did not";
    case Ambiguity::Few: return "too few samples with eager to tell such a change from chance";
  }
  return "";
}

/// ` (5 noise, 2 gap)`
std::string ambiguitiesText(const Tally& tally) {
  std::string text;
  for (const auto& [ambiguity, count] : tally.ambiguities)
    text += fmt::format("{}{} {}", text.empty() ? " (" : ", ", count, word(ambiguity));
  return text.empty() ? text : text + ")";
}

/// `+4.9`, `-12.0`, `+5020`: percent.
std::string changeText(double ratio) {
  const double percent = (ratio - 1) * 100;
  return std::abs(percent) < 100 ? fmt::format("{:+.1f}", percent) : fmt::format("{:+.0f}", percent);
}

}  // namespace

std::string sampleText(const Record& record) {
  inputs::Sample sample;
  try {
    inputs::parseCall(record.sample, {record.file, static_cast<int>(record.line)}, 1, sample);
    return brief(sample);
  } catch (const ir::Error&) {
    return record.sample.substr(0, record.sample.find('\n'));
  }
}

std::string medianText(const Record* record) {
  if (!record) return "-";
  return record->disposition == results::Disposition::Measured ? report::microseconds(*record->median * 1e-6) : record->status;
}

std::string percentText(double ratio) { return changeText(ratio) + "%"; }

std::string timeChangeText(const Compared& row) { return row.timeRatio ? percentText(*row.timeRatio) : "-"; }

std::string speedupChangeText(const Compared& row) { return row.ratio && row.isOverEager ? percentText(1 / *row.ratio) : "-"; }

std::string intervalText(const Compared& row) {
  if (!row.ratio) return "-";
  if (!row.interval) return "?";
  const auto [low, high] = row.isOverEager ? Interval{1 / row.interval->high, 1 / row.interval->low} : Interval(*row.interval);
  return fmt::format("{}..{}", changeText(low), percentText(high));
}

std::string verdictText(const Compared& row) {
  if (row.ambiguity == Ambiguity::None) return std::string(name(row.verdict));
  return fmt::format("{}: {}", name(row.verdict), word(row.ambiguity));
}

std::string remark(const Compared& row) {
  if (!row.candidate) return "";
  const auto failed = row.verdict == Verdict::Wrong || row.verdict == Verdict::Crash || row.verdict == Verdict::Impossible ||
                      row.verdict == Verdict::Unfixed || row.verdict == Verdict::Gone;
  if (failed) return row.candidate->reason.substr(0, row.candidate->reason.find('\n'));
  if (row.base && row.base->kind != row.candidate->kind) return fmt::format("was {}, is {}", row.base->kind, row.candidate->kind);
  return "";
}

std::string countsText(const Tally& tally) {
  constexpr Verdict order[] = {Verdict::Wrong,   Verdict::Crash, Verdict::Impossible, Verdict::Slow,
                               Verdict::Fast,    Verdict::Same,  Verdict::Ambiguous,  Verdict::Fixed,
                               Verdict::Unfixed, Verdict::New,   Verdict::Gone};
  std::string text;
  for (Verdict verdict : order) {
    if (tally.of(verdict) == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", tally.of(verdict), name(verdict));
    if (verdict == Verdict::Ambiguous) text += ambiguitiesText(tally);
  }
  return text.empty() ? "nothing" : text;
}

std::string legendText(const Comparison& comparison) {
  const auto isAny = [&](auto&& is) { return std::any_of(comparison.rows.begin(), comparison.rows.end(), is); };
  if (!isAny([](const Compared& row) { return row.ratio.has_value(); })) return "";
  std::string text = "time: the change of the time";
  text += isAny([](const Compared& row) { return row.isOverEager; })
              ? "; speedup: that of the speedup over eager, with its 95% interval, on which the verdict rests"
              : ", with its 95% interval";
  for (const Ambiguity each : {Ambiguity::Gap, Ambiguity::Noise, Ambiguity::Drift, Ambiguity::Clock, Ambiguity::Few})
    if (isAny([&](const Compared& row) { return row.ambiguity == each; }))
      text += fmt::format("; {}: {}", word(each), meaning(each));
  return text;
}

std::string controlText(const Comparison& comparison) {
  const Control& control = comparison.control;
  if (control.samples() < Control::least) return "";
  return fmt::format("eager in {} samples: the machine drifted by {}, the same code scatters by {:.1f}%", control.samples(),
                     percentText(std::exp(control.drift())), std::expm1(Control::certain * control.scatter()) * 100);
}

}  // namespace opbench::compare
