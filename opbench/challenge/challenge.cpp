#include "opbench/challenge/challenge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "inputs/convert.h"
#include "inputs/files.h"
#include "inputs/operator_name.h"
#include "inputs/siblings.h"
#include "inputs/temporary_folder.h"
#include "ir/error.h"
#include "opbench/cases/case.h"
#include "opbench/cases/files.h"
#include "opbench/challenge/solution.h"
#include "opbench/challenge/statement.h"
#include "opbench/report/format.h"
#include "opbench/results/sample_result.h"
#include "opbench/settings/arguments.h"
#include "opbench/sweep/sample_runner.h"
#include "opbench/sweep/sweep.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

using ir::ErrorKind;
using ir::fail;
using results::SampleResult;

constexpr const char* sampleFile = "sample.txt";
constexpr const char* baselineFile = "baseline.jsonl";

bool isOnGpu(const Options& options) { return wantedDevice(options) != "cpu"; }

/// The options by which a sample of a file races.
Options raceOf(const Case& wanted, const Options& given, const fs::path& file) {
  Options run = given;
  static_cast<RaceSettings&>(run) = raceSettings(wanted, given);
  run.contenders = given.contenders;
  run.verb = Verb::Race;
  run.ops = {"all"};
  run.maxSamples = run.startIdx = 0;
  run.inputs = {file};
  run.cases.clear();
  return run;
}

/// What a race wrote of its only sample; nothing where that broke off.
std::optional<SampleResult> resultIn(const std::string& json) {
  std::optional<SampleResult> found;
  std::ifstream stream(json, std::ios::binary);
  results::readSampleResults(stream, json, 0, [&](SampleResult result) { found = std::move(result); });
  return found;
}

std::string timeOf(const Outcome& outcome) {
  return outcome.timing ? report::time(outcome.timing->median) : std::string(name(outcome.status));
}

/// The times there are to beat, as a table.
std::string timesText(const Row& row) {
  std::string text = "| | time | speedup |\n| --- | --- | --- |\n";
  for (const Outcome& outcome : row.outcomes)
    if (outcome.status != Status::Unsupported)
      text += fmt::format("| {} | {} | {} |\n", name(outcome.contender), timeOf(outcome),
                          outcome.speedup && &outcome != &row.outcomes.front() ? report::speedup(outcome.speedup) : "");
  if (row.copySeconds > 0)
    text += fmt::format("| a copy of as many bytes | {} | {} bytes |\n", report::time(row.copySeconds), row.bytes());
  return text;
}

std::string siblingsText(const inputs::Sample& sample) {
  std::string text;
  for (const inputs::Sibling& sibling : inputs::siblingsOf(sample, inputs::mostSiblingBytes))
    text += fmt::format("- `{}`: {}\n", inputs::toText(sibling.sample), sibling.what);
  if (text.empty()) return "";
  return "\n## Siblings\nA solution has to be right on calls of other sizes and strides as well. The judge draws some of "
         "these:\n\n" +
         text;
}

std::string readme(const inputs::Sample& sample, const Statement& statement, const Row& row, const Run& run) {
  return fmt::format(
      "# A challenge: {}\n\nWrite a kernel that computes what [reference.py](reference.py) computes, faster. The tensors:\n\n{}\n"
      "The times to beat, on {}:\n\n{}\n"
      "## What to do\nFill in one of these files, or several, and run `./check.sh`:\n\n"
      "| file | |\n| --- | --- |\n"
      "| `mine.py` | a function `mine` of Python, such as a Triton kernel and its launch |\n"
      "| `mine.cu` | CUDA kernels; the comment at the top says how they are launched |\n"
      "| `mine.cpp` | an operator of PyTorch in C++ |\n\n"
      "Outputs have the reference's dtypes, sizes and strides. Inputs that the reference does not write are not written. A "
      "solution "
      "computes each run anew, from its inputs alone, on the thread and the stream that call it.\n\n"
      "`check.sh` has each file race {} times in fresh processes, on data of several kinds, some of them drawn from a seed that "
      "nobody "
      "knows before, and says what the solution is worth. It takes the sample from `{}`, and trusts nothing else in this "
      "folder.\n{}",
      sample.op, statement.shapes, run.deviceName, timesText(row), judgedRuns, sampleFile, siblingsText(sample));
}

void requireFree(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)))
    fail(ErrorKind::Input, "{} is not empty; choose another folder with --out", folder.string());
}

/// The sample as it is raced.
Statement statementFor(const Case& wanted, const Options& run) {
  const inputs::Sample sample = inputs::convert(wanted.sample, run.dtype, run.channelsLast);
  return statementOf(sample, isOnGpu(run) ? ir::Backend::Cuda : ir::Backend::Cpu);
}

/// The runs of a solution, and what they come to.
struct Judgement {
  std::string refusal;  ///< why it is not accepted; empty where it is
  std::vector<double> overEager, overOthers, ofCopy;
  std::vector<double> seconds;
};

double middleOf(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// A reason without the command that repeats the sample (addReproCommand): its file is gone by then.
std::string withoutCommand(const std::string& reason) { return reason.substr(0, reason.find("; `opbench repro")); }

/// Adds a run to the judgement of a contender.
void add(Judgement& judgement, const Row& row, const Contender& contender) {
  const Outcome* mine = nullptr;
  double best = std::numeric_limits<double>::infinity();
  for (const Outcome& outcome : row.outcomes) {
    if (outcome.contender == contender) mine = &outcome;
    if (outcome.contender != contender && outcome.timing && outcome.status == Status::Ok)
      best = std::min(best, outcome.timing->median);
  }
  if (mine == nullptr || mine->status != Status::Ok) {
    judgement.refusal =
        mine == nullptr ? "it has no result" : fmt::format("{}: {}", name(mine->status), withoutCommand(mine->reason));
  } else if (mine->timing && mine->speedup) {  // other programs may leave none
    judgement.seconds.push_back(mine->timing->median);
    judgement.overEager.push_back(*mine->speedup);
    judgement.overOthers.push_back(best / mine->timing->median);
    if (mine->ofCopy) judgement.ofCopy.push_back(*mine->ofCopy);
  }
}

std::string textOf(const Solution& solution, const Judgement& judgement) {
  if (!judgement.refusal.empty()) return fmt::format("{}: not accepted: {}\n", solution.file, judgement.refusal);
  if (judgement.seconds.empty()) return fmt::format("{}: accepted; other programs left no time\n", solution.file);
  const std::string copy =
      judgement.ofCopy.empty() ? "" : fmt::format(", {} of a copy's speed", report::percent(middleOf(judgement.ofCopy)));
  return fmt::format("{}: accepted: {}; {} as fast as eager, {} as the fastest of the others{}\n", solution.file,
                     report::time(middleOf(judgement.seconds)), report::speedup(middleOf(judgement.overEager)),
                     report::speedup(middleOf(judgement.overOthers)), copy);
}

Judgement judged(const Solution& solution, const fs::path& folder, const fs::path& scratch, const Options& options) {
  Judgement judgement;
  std::random_device entropy;
  for (int number = 0; number < judgedRuns && judgement.refusal.empty(); ++number) {
    Options run = options;
    run.seed = entropy();
    const std::string json = scratch / fmt::format("{}-{}.jsonl", solution.file, number);
    if (const auto why = raceSolution(solution, folder, scratch, json, run)) {
      judgement.refusal = *why;
    } else if (const auto result = resultIn(json)) {
      add(judgement, result->row, solution.contender);
    } else {
      judgement.refusal = "it has no result";
    }
  }
  return judgement;
}

}  // namespace

void writeChallenge(const Options& options, Streams streams) {
  const fs::path folder = options.challenge.folder;
  requireFree(folder);
  const Case wanted = readCase(options.challenge.what);
  const inputs::Sample& sample = wanted.sample;
  const std::string text = inputs::toText(std::vector{sample});
  // Nothing is left behind by a race that does not come to its end.
  const inputs::TemporaryFolder scratch("challenge");
  inputs::writeFile(scratch.path() / sampleFile, text);
  Options run = raceOf(wanted, options, scratch.path() / sampleFile);
  const Statement statement = statementFor(wanted, run);
  run.json = scratch.path() / baselineFile;
  sweep(inputs::readSamples(run.inputs).samples, run, streams, [] { return false; });
  const auto result = resultIn(run.json);
  if (!result) fail(ErrorKind::Input, "the sample has no results");
  const std::string check =
      fmt::format("#!/bin/sh\n# Judges what is in this folder.\nexec {} {} challenge \"$(dirname \"$0\")\" \"$@\"\n",
                  quoted(launcherOf(run.program)), commandLine(run));
  std::map<std::string, std::string> files{{"README.md", readme(sample, statement, result->row, result->run)},
                                           {"reference.py", statement.reference},
                                           {"mine.py", statement.python},
                                           {"mine.cpp", statement.cpp},
                                           {"check.sh", check},
                                           {sampleFile, text},
                                           {baselineFile, inputs::readFile(run.json)}};
  if (isOnGpu(run)) files["mine.cu"] = statement.cuda;
  inputs::makeFolder(folder);
  for (const auto& [file, content] : files) inputs::writeFile(folder / file, content);
  fs::permissions(folder / "check.sh", fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
  streams.out << fmt::format("\n{}: fill in mine.*, and run check.sh; README.md says what is computed\n", folder.string());
}

bool judgeChallenge(const Options& options, Streams streams) {
  const fs::path folder = options.challenge.judged.empty() ? options.challenge.what : options.challenge.judged;
  const inputs::TemporaryFolder scratch("challenge");
  const Case wanted = readCase(options.challenge.judged.empty() ? (folder / sampleFile).string() : options.challenge.what);
  // A sample that is changed while the solution runs changes nothing.
  inputs::writeFile(scratch.path() / sampleFile, inputs::toText(std::vector{wanted.sample}));
  Options run = raceOf(wanted, options, scratch.path() / sampleFile);
  run.quiet = true;
  const Statement statement = statementFor(wanted, run);
  const std::vector<Solution> solutions = solutionsIn(folder, statement, isOnGpu(run));
  if (solutions.empty())
    fail(ErrorKind::Input, "{} has no solution: mine.py, mine.cu and mine.cpp are as they were written", folder.string());
  streams.out << fmt::format("{} {}\n", wanted.sample.op, inputs::isRegion(wanted.sample.op) ? "" : wanted.sample.recorded);
  bool areAccepted = true;
  for (const Solution& solution : solutions) {
    if (!options.quiet) streams.err << fmt::format("opbench: {} races {} times\n", solution.file, judgedRuns);
    const Judgement judgement = judged(solution, folder, scratch.path(), run);
    areAccepted = areAccepted && judgement.refusal.empty();
    streams.out << textOf(solution, judgement);
  }
  return areAccepted;
}

}  // namespace opbench
