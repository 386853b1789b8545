#include "opbench/front/merge.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/results/environment.h"
#include "opbench/results/sample_result.h"
#include "opbench/text/version.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using results::SampleResult;

/// A sample and the file it comes from.
struct Part {
  SampleResult result;
  const std::string* file = nullptr;
};

/// `300`, or `300 of 2108` where it is known what they were selected from.
std::string samplesText(const Run& run) {
  return run.recorded.samples > 0 ? fmt::format("{} of {}", run.samples, run.recorded.samples) : std::to_string(run.samples);
}

/// `8` of a run that is a shard of eight.
std::string shardsText(const Run& run) { return run.shard.substr(run.shard.find('/') + 1); }

class Merger {
 public:
  explicit Merger(bool force) : force_(force) {}

  void read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) ir::fail(ErrorKind::Input, "cannot read {}", file);
    const auto found = results::readSampleResults(stream, file, 0, [&](SampleResult result) { add(std::move(result), file); });
    if (!found.note.empty()) ir::fail(ErrorKind::Input, "{}; finish the run with --resume", found.note);
  }

  const std::map<int, Part>& parts() const { return parts_; }

 private:
  void add(SampleResult result, const std::string& file) {
    if (!parts_.empty()) {
      const Part& first = parts_.begin()->second;
      const Run &a = first.result.run, &b = result.run;
      same("schema", std::to_string(first.result.schema), std::to_string(result.schema), first, result, file);
      same("options", a.options, b.options, first, result, file);
      same("files of --config, --tolerances, --program and --kernel", a.rules, b.rules, first, result, file);
      same("numbers of shards", shardsText(a), shardsText(b), first, result, file);
      same("samples", samplesText(a), samplesText(b), first, result, file);
      if (!force_) requireAlike(a, b, first, result, file);
    }
    const int index = result.row.index;
    const int place = result.place;
    const auto [entry, isNew] = parts_.try_emplace(index, Part{std::move(result), &file});
    if (!isNew)
      ir::fail(ErrorKind::Input, "{}:{}: sample {} is in {}:{} as well; the files are not shards of one sweep", file, place,
               index, *entry->second.file, entry->second.result.place);
  }

  /// Requires one build, device and software.
  static void requireAlike(const Run& a, const Run& b, const Part& first, const SampleResult& result, const std::string& file) {
    if (buildOf(a.version) != buildOf(b.version)) same("build", a.version, b.version, first, result, file);
    same("device", a.deviceName, b.deviceName, first, result, file);
    for (const results::EnvironmentPart& part : results::environmentParts())
      if (part.isDecisive) same(part.name, part.text(a.environment), part.text(b.environment), first, result, file);
  }

  static void same(std::string_view what, const std::string& a, const std::string& b, const Part& first,
                   const SampleResult& result, const std::string& file) {
    if (a != b)
      ir::fail(ErrorKind::Input, "{}:{}: its {} differ{}: '{}', in {} '{}'", file, result.place, what,
               what.ends_with('s') ? "" : "s", b, *first.file, a);
  }

  bool force_;  ///< whether builds, devices and software may differ
  std::map<int, Part> parts_;
};

/// `3, 7 and 12 more`
std::string missing(const std::map<int, Part>& parts, int samples, int& count) {
  constexpr int most = 5;
  std::string text;
  count = 0;
  for (int i = 1; i <= samples; ++i) {
    if (parts.contains(i)) continue;
    if (++count <= most) text += fmt::format("{}{}", count == 1 ? "" : ", ", i);
  }
  return count > most ? fmt::format("{} and {} more", text, count - most) : text;
}

}  // namespace

bool merge(const Options& options, Streams streams) {
  Merger merger(options.force);
  for (const std::string& file : options.merged) merger.read(file);
  const std::map<int, Part>& parts = merger.parts();
  if (parts.empty()) ir::fail(ErrorKind::Input, "no results in these files");

  Reporter reporter(options, streams);
  Run run = parts.begin()->second.result.run;
  size_t longest = 0;
  for (const auto& [index, part] : parts) {
    longest = std::max(longest, part.result.row.op.size());
    run.ceilings = highest(run.ceilings, part.result.run.ceilings);
  }
  reporter.begin(run, static_cast<int>(parts.size()), static_cast<int>(longest));
  std::string lines;
  std::vector<Row> rows;
  for (const auto& [index, part] : parts) {
    reporter.row(part.result, *part.file);
    lines += part.result.lines;
    rows.push_back(part.result.row);
  }
  if (options.json == "-")
    streams.out << lines;
  else if (!options.json.empty())
    inputs::writeFile(options.json, lines);
  const Summary summary = summarize(rows, run);
  reporter.end(summary);
  int count = 0;
  const std::string absent = missing(parts, run.samples, count);
  if (count > 0) reporter.complain(fmt::format("{} of {} samples are missing: {}", count, run.samples, absent));
  return count == 0 && !hasFailed(summary);
}

}  // namespace opbench
