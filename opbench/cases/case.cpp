#include "opbench/cases/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "inputs/files.h"
#include "inputs/legacy.h"
#include "inputs/operator_name.h"
#include "inputs/text/scanner.h"
#include "ir/error.h"
#include "opbench/results/read.h"
#include "opbench/settings/arguments.h"
#include "opbench/settings/device_name.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

using inputs::shown;
using ir::ErrorKind;
using ir::fail;
using results::Disposition;
using results::Record;

/// `FILE:LINE`; the line is 0 where none is named.
struct Place {
  std::string file;
  int line = 0;
};

Place placeOf(const std::string& what) {
  const size_t colon = what.rfind(':');
  int line = 0;
  const char *begin = what.data() + colon + 1, *end = what.data() + what.size();
  const bool isNumber = colon != std::string::npos && begin != end && std::from_chars(begin, end, line).ptr == end && line > 0;
  return isNumber ? Place{what.substr(0, colon), line} : Place{what, 0};
}

std::string lineOf(const std::string& text, const Place& place) {
  size_t from = 0;
  for (int line = 1; from < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', from), text.size());
    if (line == place.line) return text.substr(from, end - from);
    from = end + 1;
  }
  fail(ErrorKind::Input, "{} has no line {}", place.file, place.line);
}

/// The sample that begins at the place, or the only one.
Case caseOf(const std::string& text, const Place& place) {
  const inputs::Samples read = inputs::parseFile(text, place.file, fs::path(place.file).stem().string());
  if (place.line == 0 && read.samples.size() == 1) return {read.samples.front(), std::nullopt, {}};
  if (place.line == 0 && !read.errors.empty()) fail(ErrorKind::Input, "{}", read.errors.front());
  if (place.line == 0) fail(ErrorKind::Input, "{0} has {1} samples; choose a line, as in {0}:2", place.file, read.samples.size());
  for (const inputs::Sample& sample : read.samples)
    if (sample.where.line == place.line) return {sample, std::nullopt, {}};
  fail(ErrorKind::Input, "{}:{}: expected a sample or a line of --json results", place.file, place.line);
}

/// The record of a contender that failed in a dumped race, or else of the last one.
std::optional<Record> mainRecord(const fs::path& race) {
  if (!fs::exists(race)) return std::nullopt;
  std::vector<Record> records = results::readFile(race).records;
  const auto failed = std::find_if(records.begin(), records.end(),
                                   [](const Record& record) { return record.disposition != Disposition::Measured; });
  return failed == records.end() ? records.back() : *failed;
}

Case dumpedCase(const fs::path& folder) {
  const fs::path sample = folder / "00-sample.txt";
  if (!fs::exists(sample))
    fail(ErrorKind::Input, "{} is not a --dump folder of one sample: it has no 00-sample.txt", folder.string());
  Case result = caseOf(inputs::readFile(sample), Place{sample, 0});
  result.record = mainRecord(folder / "60-race.jsonl");
  return result;
}

/// The case of text that stands at a place.
Case caseAt(const std::string& text, const Place& place, const std::string& what) {
  const std::string line = place.line > 0 ? lineOf(text, place) : text.substr(0, text.find('\n'));
  const bool isResult = line.starts_with('{');
  if (isResult && place.line == 0) fail(ErrorKind::Input, "{0} holds results; choose a line, as in {0}:2", place.file);
  return isResult ? caseOfLine(line, what) : caseOf(text, place);
}

/// The device that a line of results names, for a program to be started on it.
std::string deviceOf(const Record& record) {
  if (!isDevice(record.device))
    fail(ErrorKind::Input, "unknown device {} in the results; choose one with --device", shown(record.device));
  return record.device;
}

void rename(inputs::Sample& sample, const std::string& where) {
  try {
    inputs::renameLegacy(sample);
  } catch (const ir::Error& error) {
    fail(error.kind(), "{}: {}", where, error.what());
  }
}

int threadsOf(const Record& record) {
  constexpr int64_t most = 1024;
  if (record.threads > most) fail(ErrorKind::Input, "the results have {} threads, more than {}", record.threads, most);
  return static_cast<int>(record.threads);
}

}  // namespace

Case caseOfLine(std::string_view line, const std::string& where) {
  Case result;
  Record record = results::recordOf(line, where);
  inputs::Sample& sample = result.sample;
  sample.op = record.op;
  if (const auto refusal = inputs::refusalOf(sample.op)) fail(ErrorKind::Input, "{}: {}", where, *refusal);
  sample.count = std::max<int64_t>(record.count, 1);
  sample.suite = record.suite;
  const Place place = placeOf(where);
  inputs::parseCall(record.sibling.empty() ? record.sample : record.sibling, {place.file, std::max(place.line, 1)}, 1, sample);
  rename(sample, where);
  result.record = std::move(record);
  return result;
}

Case readCase(const std::string& what) {
  const bool isDump = fs::is_directory(what);
  const Place place = isDump ? Place{what, 0} : placeOf(what);
  Case result = isDump ? dumpedCase(what) : caseAt(inputs::readFile(place.file), place, what);
  result.from = place.file;
  return result;
}

std::string aboutCase(const Case& wanted) {
  if (!wanted.record) return wanted.sample.op;
  const Record& record = *wanted.record;
  return fmt::format("{}: {} was {}{}{}", wanted.sample.op, record.contender, record.status, record.reason.empty() ? "" : ": ",
                     record.reason);
}

RaceSettings raceSettings(const Case& wanted, const RaceSettings& given) {
  RaceSettings options = given;
  options.maxBytes = 0;
  options.accuracyChecking = true;
  options.slow = !options.config.empty();
  options.cases.clear();
  if (!wanted.record) return options;
  const Record& record = *wanted.record;
  const auto dtype = ir::dtypeFromTorchName(record.dtype);
  if (!dtype) fail(ErrorKind::Input, "unknown dtype {} in the results", shown(record.dtype));
  options.dtype = *dtype;
  options.data = dataOf(wanted, given).distribution;
  options.seed = record.seed.value_or(0);
  options.threads = threadsOf(record);
  options.channelsLast = record.channelsLast;
  if (record.flush == "read") options.flush = runtime::Flush::Read;
  if (options.device.empty()) options.device = deviceOf(record);
  const auto contender = contenderFromName(record.contender);
  if (!contender) fail(ErrorKind::Input, "unknown contender {} in the results", shown(record.contender));
  options.contenders = {Contender::Eager};
  if (*contender != Contender::Eager) options.contenders.push_back(*contender);
  if (!contender->isKernel()) options.kernels.clear();
  return options;
}

inputs::Data dataOf(const Case& wanted, const RaceSettings& run) {
  const std::string text = wanted.record ? wanted.record->data : "";
  if (text.empty()) return {run.data};
  const auto data = inputs::dataFromText(text);
  if (!data) fail(ErrorKind::Input, "unknown data {} in the results", shown(text));
  return *data;
}

void addReproCommand(Outcome& outcome, const Row& row, const RaceSettings& options) {
  if (row.file.empty()) return;
  outcome.reason += fmt::format("; `opbench repro {} {}` writes the case", quoted(fmt::format("{}:{}", row.file, row.line)),
                                commandLine(options));
}

}  // namespace opbench
