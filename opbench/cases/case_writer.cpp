#include "opbench/cases/case_writer.h"

#include <fmt/format.h>

#include <filesystem>

#include "inputs/files.h"
#include "inputs/operator_name.h"
#include "ir/error.h"
#include "opbench/cases/folder.h"
#include "opbench/results/read.h"
#include "opbench/results/write.h"
#include "opbench/settings/arguments.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

/// The case of one outcome on the sample or on the sibling where it failed, as its line of results would have it.
Case caseOf(const Row& row, const Outcome& outcome, const inputs::Sample& sample, const Run& run) {
  Row alone = row;
  alone.sample = sample.recorded;
  alone.outcomes = {outcome};
  alone.outcomes.front().sibling.clear();
  return {sample, results::recordOf(results::jsonLines(alone, run), row.op), {}};
}

std::string folderName(const Row& row, const Outcome& outcome) {
  const std::string contender = outcome.contender == Contender::Opbench ? "" : fmt::format("-{}", name(outcome.contender));
  return fmt::format("{}-{}{}", row.index, row.op, contender);
}

void raceAgain(const inputs::Sample& recorded, const RaceSettings& options, const fs::path& folder, const Bench& bench) {
  Run run = bench.run;
  run.contenders = options.contenders;
  run.options = quoted(raceArguments(options));
  run.samples = 1;
  run.recorded = {};
  const Row row = raceSample(recorded, 1,
                             {options, run, bench.device, bench.cache, bench.tunings, bench.tolerances, bench.config, nullptr, 1,
                              bench.inductor, bench.compilersOnGpu, bench.kernels});
  inputs::writeFile(folder / "result.jsonl", results::jsonLines(row, run));
}

/// Writes the case of an outcome, whose folder is known as soon as it is made: it counts, whatever comes after.
void writeCase(Outcome& outcome, const Row& row, const inputs::Sample& recorded, const Bench& bench) {
  inputs::Sample sample = recorded;
  if (!outcome.sibling.empty()) {
    sample.args.clear();
    sample.kwargs.clear();
    inputs::parseCall(outcome.sibling, recorded.where, 1, sample);
  }
  const Case wanted = caseOf(row, outcome, sample, bench.run);
  RaceSettings options = raceSettings(wanted, bench.options);
  const std::vector<CaseFile> files = caseFiles(wanted, options);
  const fs::path folder = makeFreeFolder(bench.options.cases, folderName(row, outcome));
  outcome.caseFolder = folder.string();
  writeFiles(files, folder);
  options.dump = folder / "stages";
  raceAgain(sample, options, folder, bench);
}

}  // namespace

void writeCases(Row& row, const inputs::Sample& recorded, const Bench& bench) {
  int left = bench.options.cases.empty() ? 0 : bench.casesLeft;
  for (Outcome& outcome : row.outcomes) {
    if (outcome.status != Status::Wrong) continue;
    if (left <= 0) {
      addReproCommand(outcome, row, bench.options);
      continue;
    }
    --left;
    try {
      writeCase(outcome, row, recorded, bench);
      outcome.reason += fmt::format("; its case is in {}", outcome.caseFolder);
    } catch (const ir::Error& error) {
      const bool isMade = !outcome.caseFolder.empty();
      outcome.reason += fmt::format(
          "; its case {}: {}", isMade ? fmt::format("in {} is not whole", outcome.caseFolder) : "is not written", error.what());
      addReproCommand(outcome, row, bench.options);
    }
  }
}

}  // namespace opbench
