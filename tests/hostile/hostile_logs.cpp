// Logs that are made to harm whoever races them: every operator there is, with arguments of all kinds, and strings that are
// paths, commands and formats. They are read as opbench reads logs, and their calls made on the CPU; what a call does outside of
// its tensors ends the program with status 1.
//   hostile_logs [--seconds N | --runs N] [--seed S]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "tests/hostile/trial.h"
#include "tests/random/seeded_runs.h"

namespace {

using namespace hostile;

constexpr int callsOfLog = 200;
constexpr int skipped = 77;

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

int tryLogs(tests::SeededRuns& runs) {
  if (const auto what = unnoticed()) throw std::runtime_error(*what + " goes unnoticed");
  const std::vector<Operator> operators = allOperators();
  const Sandbox sandbox;
  Tally tally;
  for (uint64_t run = 0; runs.goOn(run); ++run) {
    const uint64_t seed = runs.seed(run);
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
  CLI::App app("Logs that are made to harm whoever races them.");
  tests::SeededRuns runs(app);
  CLI11_PARSE(app, argc, argv);
  try {
    return tryLogs(runs);
  } catch (const std::exception& error) {
    fmt::print(stderr, "hostile_logs: {}\n", error.what());
    return 2;
  }
}
