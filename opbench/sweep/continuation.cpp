#include "opbench/sweep/continuation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "ir/error.h"
#include "opbench/results/renumber.h"
#include "opbench/results/schema.h"
#include "opbench/settings/arguments.h"
#include "opbench/text/version.h"

namespace opbench {
namespace {

using results::SampleResult;

/// What tells a sample from the others of a selection.
std::string keyOf(const std::string& op, const std::string& recorded, const std::string& file, int line) {
  return fmt::format("{}\n{}\n{}\n{}", op, recorded, file, line);
}

}  // namespace

Continuation::Continuation(const Options& options, const std::vector<inputs::Sample>& samples, const std::vector<int>& mine)
    : options_(options),
      samples_(samples),
      left_(mine.begin(), mine.end()),
      raceOptions_(quoted(raceArguments(options))),
      selection_(quoted(selectionArguments(options))),
      rules_(rulesDigest(options)) {}

void Continuation::check(SampleResult& result) {
  place_ = result.place;
  checkSchema(result.schema);
  checkRun(result);
  if (!std::exchange(hasBegun_, true)) {
    samplesBefore_ = result.run.samples;
    isExtension_ = result.run.samples != static_cast<int>(samples_.size()) || result.run.recorded != options_.recorded;
    for (const int number : left_) {
      const inputs::Sample& sample = samples_[static_cast<size_t>(number - 1)];
      numbers_.emplace(keyOf(sample.op, sample.recorded, sample.where.file, sample.where.line), number);
    }
  }
  const int number = numberOf(result);
  if (left_.erase(number) == 0) refuse(fmt::format("sample {} is duplicated or belongs to another shard", result.row.index));
  if (!isExtension_) return;
  result.row.index = number;
  result.run.samples = static_cast<int>(samples_.size());
  result.run.recorded = options_.recorded;
  result.run.selection = selection_;
  result.lines = results::renumbered(result.lines, number, result.run);
}

void Continuation::checkRun(const SampleResult& result) const {
  const Run& run = result.run;
  if (!options_.force && buildOf(run.version) != buildOf(versionText()))
    refuse(fmt::format("builds differ (file: {}; now: {}); use --force to continue anyway", run.version, versionText()));
  if (!result.hasSums) refuse("a line has no checksum");
  if (run.shard != toText(options_.shard))
    refuse(fmt::format("shards differ (file: {}; now: {})", run.shard, toText(options_.shard)));
  if (const std::string differences = optionDifferences(run.options, raceOptions_); !differences.empty()) refuse(differences);
  if (run.rules != rules_) refuse("the contents of --config, --tolerances, --program or --kernel have changed");
  if (const auto contenders = contendersOf(result.row.op, options_.contenders); run.contenders != contenders)
    refuse(fmt::format("contenders differ (file: {}; now: {})", fmt::join(namesOf(run.contenders), ", "),
                       fmt::join(namesOf(contenders), ", ")));
}

bool Continuation::isAt(int index, const Row& row) const {
  if (index < 1 || index > static_cast<int>(samples_.size())) return false;
  const inputs::Sample& sample = samples_[static_cast<size_t>(index - 1)];
  return sample.op == row.op && sample.recorded == row.sample;
}

/// The number of the result's sample in the run at hand.
int Continuation::numberOf(const SampleResult& result) {
  const Row& row = result.row;
  const bool isOfOneRun = result.run.samples == samplesBefore_;
  if (isOfOneRun && !isExtension_ && isAt(row.index, row)) return row.index;
  const auto found = isOfOneRun && isExtension_ ? numbers_.find(keyOf(row.op, row.sample, row.file, row.line)) : numbers_.end();
  if (found == numbers_.end()) {
    const std::string differences = result.run.selection.empty() ? "" : optionDifferences(result.run.selection, selection_);
    refuse(differences.empty()
               ? "the selected samples differ"
               : fmt::format("the selected samples differ, sample {} is not among them now: {}", row.index, differences));
  }
  const int number = found->second;
  numbers_.erase(found);
  return number;
}

void Continuation::checkSchema(int64_t schema) const {
  if (schema != results::currentSchema)
    ir::fail(
        ir::ErrorKind::Input,
        "cannot resume: {} was written with schema {}, this opbench writes schema {}; start a new file, or compare and convert "
        "it as it is",
        options_.json, schema, results::currentSchema);
}

void Continuation::refuse(const std::string& why) const {
  ir::fail(ir::ErrorKind::Input, "{}:{}: cannot resume: {}", options_.json, place_, why);
}

}  // namespace opbench
