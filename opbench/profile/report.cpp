#include "opbench/profile/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "opbench/profile/kinds.h"
#include "opbench/report/columns.h"

namespace opbench::profile {
namespace {

using report::Cell;
using report::Column;
using report::Columns;

/// Rows of a table; and kernels that are so few that their kinds need no line.
constexpr size_t mostRows = 30, mostWithoutKinds = 12;

size_t rowsOf(const Profile& profile) { return std::min(profile.spent.size(), mostRows); }

/// What the last row of a table stands for: `19 more kernels`; empty where the table has all.
std::string restOf(const Profile& profile) {
  const size_t rest = profile.spent.size() - rowsOf(profile);
  if (rest == 0) return "";
  return fmt::format("{} more {}{}", rest, profile.isOnGpu ? "kernel" : "call", rest == 1 ? "" : "s");
}

int longestName(const Profile& profile) {
  size_t longest = restOf(profile).size();
  for (size_t i = 0; i < rowsOf(profile); ++i) longest = std::max(longest, report::shortKernel(profile.spent[i].name).size());
  return static_cast<int>(longest);
}

/// A table of names and figures without a last text.
Columns columnsOf(const std::string& heading, int longest, std::vector<Column> figures, const Look& look) {
  return {heading, longest, std::move(figures), "", look.room, look.colour};
}

std::string callsText(int64_t calls, int runs) {
  return calls % runs == 0 ? std::to_string(calls / runs) : fmt::format("{:.1f}", static_cast<double>(calls) / runs);
}

std::optional<double> ratio(std::optional<double> above, std::optional<double> below) {
  return above && below.value_or(0) > 0 ? std::optional(*above / *below) : std::nullopt;
}

std::string share(std::optional<double> value) { return report::percent(value); }

std::string tableOf(const Profile& profile, const Trace& trace, const Look& look) {
  std::vector<Column> figures{{"calls", 8}, {"time", 10}, {"share", 7}, {"GB/s", 7, 1}, {"of copy", 9, 1}};
  if (profile.isOnGpu) figures.insert(figures.end(), {{"regs", 6, 2}, {"occ", 6, 2}});
  const Columns columns = columnsOf(profile.isOnGpu ? "kernel" : "call", longestName(profile), std::move(figures), look);
  std::string text = columns.heading();
  const auto add = [&](const std::string& name, const Spent& spent) {
    text += columns.line(name,
                         {{callsText(spent.calls, profile.runs)},
                          {report::time(spent.seconds / profile.runs)},
                          {share(ratio(spent.seconds, profile.kernelSeconds))},
                          {report::gigabytes(spent.bytesPerSecond)},
                          {share(ratio(spent.bytesPerSecond, trace.bytesPerSecond))},
                          {spent.registers ? std::to_string(*spent.registers) : "-"},
                          {share(spent.occupancy)}},
                         {});
  };
  const size_t rows = rowsOf(profile);
  for (size_t i = 0; i < rows; ++i) add(report::shortKernel(profile.spent[i].name), profile.spent[i]);
  Spent rest;
  for (size_t i = rows; i < profile.spent.size(); ++i) {
    rest.calls += profile.spent[i].calls;
    rest.seconds += profile.spent[i].seconds;
  }
  if (rest.calls > 0) add(restOf(profile), rest);
  return text;
}

/// `by kind: convolutions 2.90 ms 31%, generated 1.80 ms 19%, ..` of a run with many kernels; else empty.
std::string kindsText(const Profile& profile, const Look& look) {
  if (profile.spent.size() <= mostWithoutKinds) return "";
  std::string text = "by kind:";
  for (const KindSpent& one : byKind(profile.spent))
    text += fmt::format("{} {} {} {}", text.ends_with(':') ? "" : ",", one.kind, report::time(one.seconds / profile.runs),
                        share(ratio(one.seconds, profile.kernelSeconds)));
  return report::wrapped(text, look.room) + "\n";
}

/// `idle 12.3 us: host not ahead 10.1 us, synchronisation 0.00 us, ...`
std::string idleText(const Profile& profile) {
  const auto each = [&](double seconds) { return report::time(seconds / profile.runs); };
  return fmt::format("idle {}: host not ahead {}, synchronisation {}, launched but not begun {}, end {}",
                     each(profile.idle.sum()), each(profile.idle.host), each(profile.idle.synchronisation),
                     each(profile.idle.latency), each(profile.idle.end));
}

std::string headOf(const Profile& profile, const Trace& trace) {
  const double seconds = profile.kernelSeconds / profile.runs;
  std::string text =
      fmt::format("{}: {} run{} of {}, {} {}", profile.contender, profile.runs, profile.runs == 1 ? "" : "s",
                  report::time(profile.seconds / profile.runs), profile.isOnGpu ? "kernels" : "calls", report::time(seconds));
  if (trace.bytes && seconds > 0) {
    const double rate = static_cast<double>(*trace.bytes) / seconds;
    text += fmt::format(", {} GB/s", report::gigabytes(rate));
    if (const auto ofCopy = ratio(rate, trace.bytesPerSecond)) text += fmt::format(", {} of a copy's", share(ofCopy));
  }
  return text + "\n";
}

std::string title(const Trace& trace) {
  return trace.op.empty() ? trace.file + "\n" : fmt::format("{} {}\n{}\n", trace.op, trace.sample, trace.file);
}

/// What a name takes in a run before and after; 0 where it is not there.
struct Move {
  std::string contender, name;
  double before = 0, after = 0;
  double callsBefore = 0, callsAfter = 0;
};

std::vector<Move> movesOf(const std::vector<Profile>& before, const std::vector<Profile>& after) {
  std::map<std::pair<std::string, std::string>, Move> moves;
  const auto add = [&](const std::vector<Profile>& profiles, double Move::* seconds, double Move::* calls) {
    for (const Profile& profile : profiles)
      for (const Spent& spent : profile.spent) {
        Move& move = moves[{profile.contender, spent.name}];
        move.contender = profile.contender;
        move.name = spent.name;
        move.*seconds += spent.seconds / profile.runs;
        move.*calls += static_cast<double>(spent.calls) / profile.runs;
      }
  };
  add(before, &Move::before, &Move::callsBefore);
  add(after, &Move::after, &Move::callsAfter);
  std::vector<Move> all;
  for (const auto& [_, move] : moves) all.push_back(move);
  std::stable_sort(all.begin(), all.end(),
                   [](const Move& a, const Move& b) { return std::abs(a.after - a.before) > std::abs(b.after - b.before); });
  return all;
}

std::string secondsOrNone(double seconds, double calls) { return calls > 0 ? report::time(seconds) : "-"; }

}  // namespace

std::string report(const Trace& trace, const Look& look) {
  std::string text = title(trace);
  for (const Profile& profile : profilesOf(trace)) {
    text += "\n" + headOf(profile, trace) + kindsText(profile, look) + tableOf(profile, trace, look);
    if (profile.isOnGpu) text += idleText(profile) + "\n";
  }
  return text;
}

std::string reportMoves(const Trace& before, const Trace& after, const Look& look) {
  const std::vector<Move> moves = movesOf(profilesOf(before), profilesOf(after));
  int longest = 0;
  const auto nameOf = [](const Move& move) { return move.contender + ": " + report::shortKernel(move.name); };
  for (const Move& move : moves) longest = std::max(longest, static_cast<int>(nameOf(move).size()));
  const Columns columns =
      columnsOf("kernel or call", longest, {{"before", 10}, {"after", 10}, {"change", 11}, {"ratio", 8}, {"calls", 12, 1}}, look);
  std::string text = fmt::format("before: {}after:  {}\n", title(before), title(after)) + columns.heading();
  double sumBefore = 0, sumAfter = 0;
  for (const Move& move : moves) {
    sumBefore += move.before;
    sumAfter += move.after;
    const bool isInBoth = move.callsBefore > 0 && move.callsAfter > 0;
    const double change = move.after - move.before;
    text += columns.line(nameOf(move),
                         {{secondsOrNone(move.before, move.callsBefore)},
                          {secondsOrNone(move.after, move.callsAfter)},
                          {(change < 0 ? "-" : "+") + report::time(std::abs(change))},
                          {isInBoth && move.before > 0 ? fmt::format("{:.2f}", move.after / move.before) : "-"},
                          {fmt::format("{:.4g} > {:.4g}", move.callsBefore, move.callsAfter)}},
                         {});
  }
  return text + fmt::format("a run: {} before, {} after\n", report::time(sumBefore), report::time(sumAfter));
}

}  // namespace opbench::profile
