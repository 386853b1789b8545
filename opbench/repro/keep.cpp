#include "opbench/repro/keep.h"

#include <fmt/format.h>

#include <filesystem>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/arguments.h"
#include "opbench/report/json.h"
#include "opbench/repro/folder.h"
#include "opbench/results/read.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

/// The case of one outcome, as its line of results would have it.
Case caseOf(const Row& row, const Outcome& outcome, const inputs::Sample& recorded, const Run& run) {
  Row alone = row;
  alone.outcomes = {outcome};
  return {recorded, results::recordOf(report::jsonLines(alone, run), row.op), {}};
}

std::string folderName(const Row& row, const Outcome& outcome) {
  const std::string contender = outcome.contender == Contender::Opbench ? "" : fmt::format("-{}", name(outcome.contender));
  return fmt::format("{}-{}{}", row.index, row.op, contender);
}

void raceAgain(const inputs::Sample& recorded, const Options& options, const fs::path& folder, const Bench& bench) {
  Run run = bench.run;
  run.contenders = options.contenders;
  run.options = quoted(raceArguments(options));
  run.samples = 1;
  run.recorded = {};
  const Row row =
      raceSample(recorded, 1, {options, run, bench.device, bench.cache, bench.tunings, bench.tolerances, bench.config});
  inputs::writeFile(folder / "result.jsonl", report::jsonLines(row, run));
}

/// Writes the case of an outcome and returns its folder.
fs::path keepCase(const Outcome& outcome, const Row& row, const inputs::Sample& recorded, const Bench& bench) {
  const Case wanted = caseOf(row, outcome, recorded, bench.run);
  Options options = raceOptions(wanted, bench.options);
  const std::vector<CaseFile> files = caseFiles(wanted, options);
  const fs::path folder = makeFreeFolder(bench.options.cases, folderName(row, outcome));
  writeFiles(files, folder);
  options.dump = folder / "stages";
  raceAgain(recorded, options, folder, bench);
  return folder;
}

}  // namespace

void keepCases(Row& row, const inputs::Sample& recorded, const Bench& bench) {
  for (Outcome& outcome : row.outcomes) {
    if (outcome.status != Status::Wrong) continue;
    if (bench.options.cases.empty()) {
      addReproCommand(outcome, row, bench.options);
      continue;
    }
    try {
      outcome.reason += fmt::format("; its case is in {}", keepCase(outcome, row, recorded, bench).string());
    } catch (const ir::Error& error) {
      outcome.reason += fmt::format("; its case is not written: {}", error.what());
      addReproCommand(outcome, row, bench.options);
    }
  }
}

}  // namespace opbench
