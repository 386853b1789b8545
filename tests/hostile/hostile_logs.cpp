// Logs that are made to harm whoever races them: every operator there is, with arguments of all kinds, and strings that are
// paths, commands and formats. They are read as opbench reads logs, and their calls made on the CPU; what a call does outside of
// its tensors ends the program with status 1.
//   hostile_logs [--seconds N | --runs N] [--seed S]
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/hostile/trial.h"

namespace {

using namespace hostile;
using Clock = std::chrono::steady_clock;

constexpr int callsOfLog = 200;
constexpr int skipped = 77;

struct Options {
  uint64_t seed = 1;
  std::optional<uint64_t> runs, seconds;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i], text = i + 1 < argc ? argv[i + 1] : "";
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw std::invalid_argument(fmt::format("{} takes a number", name));
    if (name == "--seed")
      options.seed = value;
    else if (name == "--runs")
      options.runs = value;
    else if (name == "--seconds")
      options.seconds = value;
    else
      throw std::invalid_argument(fmt::format("there is no option {}", name));
  }
  if (!options.runs && !options.seconds) options.seconds = 60;
  return options;
}

bool goesOn(const Options& options, uint64_t runs, Clock::time_point start) {
  if (options.runs) return runs < *options.runs;
  return Clock::now() - start < std::chrono::seconds(*options.seconds);
}

std::string toText(const Tally& tally) {
  return fmt::format(
      "{} logs, {} calls: {} ran, {} refused, {} failed in ATen, {} crashed, {} hung; {} drawn calls were not read", tally.logs,
      tally.calls, tally.ran, tally.refused, tally.failed, tally.crashed, tally.hung, tally.unread);
}

/// `aten.a.default (3), aten.b.default (1)`: those whose calls crashed or hung.
std::string lostOf(const Tally& tally) {
  std::string text;
  for (const auto& [op, count] : tally.lost) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", op, count);
  return text;
}

int tryLogs(const Options& options) {
  if (const auto what = unnoticed()) throw std::runtime_error(*what + " goes unnoticed");
  const std::vector<Operator> operators = allOperators();
  const Sandbox sandbox;
  Tally tally;
  const Clock::time_point start = Clock::now();
  for (uint64_t run = 0; goesOn(options, run, start); ++run) {
    const uint64_t seed = options.seed + run;
    const Log log = drawLog(seed, callsOfLog, operators, sandbox.strings());
    if (const auto breach = tryLog(log, sandbox, tally)) {
      fmt::print("{}\nhostile_logs: --runs 1 --seed {}: {}\n", log.text, seed, *breach);
      return 1;
    }
  }
  if (!tally.isFiltered)
    fmt::print("hostile_logs: the kernel filters no system calls here: only files in a folder were watched\n");
  if (!tally.lost.empty()) fmt::print("hostile_logs: crashed or hung: {}\n", lostOf(tally));
  fmt::print("hostile_logs: {}; nothing found\n", toText(tally));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__SANITIZE_ADDRESS__)
  fmt::print("skipped: a sanitizer's own system calls would be found\n");
  return skipped;
#endif
  try {
    return tryLogs(parse(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "hostile_logs: {}\n", error.what());
    return 2;
  }
}
