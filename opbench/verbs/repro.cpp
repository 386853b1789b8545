#include "opbench/verbs/repro.h"

#include <fmt/format.h>

#include <filesystem>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/cases/folder.h"
#include "opbench/report/format.h"
#include "opbench/results/read.h"
#include "opbench/sweep/sweep.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

using results::Record;

/// Runs what run.sh runs and returns what became of the contender.
Record raceAgain(Options run, const fs::path& folder, Streams streams) {
  run.verb = Verb::Race;
  run.ops = {"all"};
  run.maxSamples = run.startIdx = 0;
  run.inputs = {folder / "sample.txt"};
  run.dump = folder / "stages";
  run.json = folder / "result.jsonl";
  sweep(inputs::readSamples(run.inputs).samples, run, streams, [] { return false; });
  return results::readFile(run.json).records.back();
}

/// Errors: Input, where a report is to be written over what the case is read from.
void checkReports(const Options& options, const fs::path& from) {
  for (const std::string& report : {options.csv, options.samplesCsv, options.junit, options.dashboard, options.html})
    for (const fs::path& read : {from, from / "00-sample.txt", from / "60-race.jsonl"})
      if (!report.empty() && inputs::isSameFile(report, read))
        ir::fail(ir::ErrorKind::Input, "{} holds the sample to reproduce; choose another file for the report", report);
}

std::string kindOf(const Record& record) { return record.kind == "fallback" ? "library call" : record.kind; }

/// `22.18 us, 1.63x, generated`; the status where there is no time.
std::string figuresOf(const Record& record) {
  std::string text = record.median ? report::time(*record.median * 1e-6) : record.status;
  if (record.speedup && !record.isBaseline) text += ", " + report::speedup(record.speedup);
  return record.kind.empty() ? text : text + ", " + kindOf(record);
}

/// How the contender fares now, beside what is recorded.
std::string comparisonOf(const Record& before, const Record& now) {
  std::string text = fmt::format("recorded {}; now {}\n", figuresOf(before), figuresOf(now));
  if (before.kind != now.kind && !before.kind.empty())
    text += fmt::format("another way to compute it: {} was {}, now it is {}\n", now.contender, kindOf(before), kindOf(now));
  if (before.status == now.status) return text + fmt::format("reproduced: {} is {} again\n", now.contender, now.status);
  return text + fmt::format("not reproduced: {} was {}, now it is {}\n", now.contender, before.status, now.status);
}

}  // namespace

bool reproduce(const Options& options, Streams streams) {
  const Case wanted = readCase(options.reproCase);
  Options run = options;
  static_cast<RaceSettings&>(run) = raceSettings(wanted, options);
  const fs::path folder = options.output.empty() ? "repro-" + wanted.sample.op : options.output;
  checkReports(options, wanted.from);
  checkFolder(folder);
  const std::vector<CaseFile> files = caseFiles(wanted, run);
  const fs::path aside = isOverwritten(wanted.from, folder) ? putAside(folder) : "";
  writeFiles(files, folder);
  const Record found = raceAgain(run, folder, streams);
  streams.out << fmt::format("\n{}: sample.txt, run.sh, driver.py with inputs/, result.jsonl, stages/\n", folder.string());
  if (!aside.empty()) streams.out << fmt::format("{}: the case that was repeated, as it was\n", aside.string());
  if (!wanted.record) return true;
  streams.out << comparisonOf(*wanted.record, found);
  return found.status == wanted.record->status;
}

}  // namespace opbench
