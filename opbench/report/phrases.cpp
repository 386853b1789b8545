#include "opbench/report/phrases.h"

#include <fmt/format.h>

#include <algorithm>

namespace opbench::report {
namespace {

using runtime::Kind;

struct CountName {
  int Counts::* count;
  std::string_view one, many;
};
constexpr CountName countNames[] = {{&Counts::generated, "generated", "generated"},
                                    {&Counts::fallbacks, "library call", "library calls"},
                                    {&Counts::views, "view", "views"},
                                    {&Counts::wrong, "wrong", "wrong"},
                                    {&Counts::impossible, "impossible", "impossible"},
                                    {&Counts::suspect, "suspect", "suspect"},
                                    {&Counts::errors, "error", "errors"},
                                    {&Counts::crashes, "crash", "crashes"},
                                    {&Counts::asserts, "assert", "asserts"},
                                    {&Counts::timeouts, "timeout", "timeouts"},
                                    {&Counts::ooms, "oom", "oom"},
                                    {&Counts::unsupported, "unsupported", "unsupported"},
                                    {&Counts::skipped, "skipped", "skipped"}};

/// A note's mark, whether a row has it, how many rows of a group do, and its meaning.
struct Note {
  char mark;
  bool (*isOf)(const Row&, const Outcome&, const Run&);
  int (*countOf)(const ContenderSummary&);
  std::string_view meaning;
};

bool isOpbench(const Outcome& outcome, Kind kind) { return outcome.contender == Contender::Opbench && outcome.kind == kind; }

constexpr Note noteList[] = {
    {'=',
     [](const Row& row, const Outcome& outcome, const Run& run) {
       const bool isAlone = row.outcomes.size() == 1 && !run.isAA;  // it is equal to itself
       return !isAlone && isSame(outcome, run);
     },
     [](const ContenderSummary& contender) { return contender.same; }, "no measurable difference"},
    {'l', [](const Row& row, const Outcome& outcome, const Run&) { return row.isLaunchBound && outcome.kind != Kind::View; },
     [](const ContenderSummary& contender) { return contender.atLaunchOverhead; }, "bound by launch overhead"},
    {'t', [](const Row& row, const Outcome&, const Run&) { return row.measurement && row.measurement->stopped == Stop::MaxTime; },
     [](const ContenderSummary& contender) { return contender.imprecise; }, "stopped by --max-time before --precision"},
    {'c',
     [](const Row& row, const Outcome&, const Run&) {
       return row.measurement && (row.measurement->isThrottled || row.measurement->dropped > 0);
     },
     [](const ContenderSummary& contender) { return contender.throttledRuns; }, "clock throttled"},
    {'p', [](const Row& row, const Outcome&, const Run&) { return isCapped(row); },
     [](const ContenderSummary& contender) { return contender.capped; }, "power or heat held the clock down"},
    {'s', [](const Row& row, const Outcome&, const Run&) { return isShared(row); },
     [](const ContenderSummary& contender) { return contender.shared; }, "other processes used the GPU"},
    {'d', [](const Row& row, const Outcome&, const Run&) { return isDisturbed(row); },
     [](const ContenderSummary& contender) { return contender.disturbed; }, "disturbed by other programs"},
    {'f', [](const Row&, const Outcome& outcome, const Run&) { return isOpbench(outcome, Kind::Fallback); },
     [](const ContenderSummary& contender) { return contender.contender == Contender::Opbench ? contender.counts.fallbacks : 0; },
     "library call: ATen computes"},
    {'v', [](const Row&, const Outcome& outcome, const Run&) { return isOpbench(outcome, Kind::View); },
     [](const ContenderSummary& contender) { return contender.contender == Contender::Opbench ? contender.counts.views : 0; },
     "view: no kernel runs"}};

}  // namespace

std::string counted(int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string speedupText(const Outcome& outcome, std::optional<double> aaNoise) {
  if (outcome.status != Status::Ok || !outcome.speedup) return std::string(name(outcome.status));
  const auto interval = outcome.timing->ratio.width();
  return fmt::format("{} +-{}", speedup(outcome.speedup), interval ? width(std::max(*interval / 2, aaNoise.value_or(0))) : "?");
}

std::string countsText(const ContenderSummary& contender) {
  std::string text;
  for (const CountName& entry : countNames)
    if (const int count = contender.counts.*entry.count; count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? entry.one : entry.many);
  return text;
}

std::string notes(const Row& row, const Outcome& outcome, const Run& run) {
  std::string marks;
  if (!outcome.timing) return marks;
  for (const Note& note : noteList)
    if (note.isOf(row, outcome, run)) marks += note.mark;
  return marks;
}

std::string legend(const ContenderSummary& contender) {
  std::string text;
  for (const Note& note : noteList)
    if (note.countOf(contender) > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", note.mark, note.meaning);
  return text;
}

}  // namespace opbench::report
