#include "opbench/results/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/results/codec.h"
#include "opbench/results/sample_result.h"
#include "opbench/results/sum.h"

namespace opbench::results {
namespace {

/// A value in the unit of its field, with the digits that the file has.
double in(Unit unit, double value) {
  constexpr int decimals = 9;  // more than any field is written with
  return rounded(value * unit.written, decimals);
}

Interval inMicroseconds(const Interval& interval) { return {in(microseconds, interval.low), in(microseconds, interval.high)}; }

void takeSample(const Row& row, Record& record) {
  record.op = row.op;
  record.sample = row.sample;
  record.suite = row.suite;
  record.file = row.file;
  record.index = row.index;
  record.line = row.line;
  record.count = row.count;
  record.data = row.data;
  record.retried = row.retried;
  record.wallSeconds = row.wallSeconds;
  record.isLaunchBound = row.isLaunchBound;
  if (!row.measurement) return;
  if (row.measurement->clock) record.clockMhz = in(megahertz, *row.measurement->clock);
  record.isDisturbed = row.measurement->isDisturbed;
}

/// Takes the times that are more than 0. Other times come from an earlier program, or from a secondary measure that is a
/// difference of times.
void takeTimes(const Outcome& outcome, const AANoise& noise, Record& record) {
  const auto& timing = outcome.timing;
  if (timing) {
    if (timing->median > 0) record.median = in(microseconds, timing->median);
    if (timing->median > 0) record.aaNoise = noise.of(timing->median);
    if (timing->interval) record.medianInterval = inMicroseconds(*timing->interval);
    if (timing->p20 > 0) record.percentiles = inMicroseconds({timing->p20, timing->p80});
    for (const double round : timing->rounds) record.rounds.push_back(in(microseconds, round));
    record.runs = timing->runs;
    if (outcome.speedup) record.speedupInterval = timing->ratio.interval;
  }
  record.speedup = outcome.speedup;
  const auto& secondary = outcome.secondary;
  if (!secondary || !secondary->interval || !secondary->isMeasured()) return;
  if (secondary->interval->low > secondary->median || secondary->median > secondary->interval->high) return;
  record.secondary = in(microseconds, secondary->median);
  record.secondaryInterval = inMicroseconds(*secondary->interval);
}

void takeOutcome(const Outcome& outcome, Record& record) {
  record.contender = name(outcome.contender);
  record.kind = runtime::name(outcome.kind);
  record.status = name(outcome.status);
  record.reason = outcome.reason;
  record.sibling = outcome.sibling;
  record.disposition = dispositionOf(outcome.status, record.median.has_value());
  record.firstSeconds = outcome.firstSeconds;
  if (outcome.bytesPerSecond) record.gigabytesPerSecond = in(giga, *outcome.bytesPerSecond);
  if (outcome.memory) record.peakBytes = outcome.memory->allocated;
}

void takeRun(const Run& run, Record& record) {
  record.device = run.device;
  record.deviceName = run.deviceName;
  record.dtype = run.dtype;
  record.environment = run.environment;
  record.version = run.version;
  record.threads = run.threads;
  record.channelsLast = run.channelsLast;
  record.isAA = run.isAA;
}

Record recordOf(const Fields& fields) {
  const SampleResult result = lineOf(fields);
  const Outcome& outcome = result.row.outcomes.front();
  Record record;
  takeSample(result.row, record);
  takeTimes(outcome, result.run.aaNoise, record);
  takeOutcome(outcome, record);
  takeRun(result.run, record);
  // Lines of earlier programs have neither, which is not the same as the default of either.
  record.flush = fields.text("flush");
  record.seed = fields.natural("seed");
  return record;
}

Fields fieldsOf(std::string_view line, const std::string& where) {
  if (const size_t longest = inputs::FileLimits().line; line.size() > longest)
    ir::fail(ir::ErrorKind::Input, "{}: the line is longer than {} bytes", where, longest);
  return Fields::ofLine(line, where);
}

/// Takes the lines of a file one after another; of equal ones the last counts.
class Reading {
 public:
  Reading(const std::string& file, const TakeLine& take) : file_(file), take_(take) {}

  void line(std::string_view line, bool isBroken) {
    const std::string where = fmt::format("{}:{}", file_, ++number_);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    try {
      const Fields fields = fieldsOf(line, where);
      Record record = recordOf(fields);
      if (sumStateOf(line) == SumState::Wrong)
        complaints_.push_back(where + ": the line was edited: its checksum does not match");
      record.place = number_;
      const size_t index = indexOf(record);
      take_(index, std::move(record), fields);
    } catch (const ir::Error&) {
      if (!isBroken || count_ == 0 || nlohmann::json::accept(line)) throw;
      complaints_.push_back(where + ": the line is cut off and is skipped");
    }
  }

  std::vector<std::string> finish() {
    if (repeated_ > 0)
      complaints_.push_back(fmt::format("{}: {} lines repeat samples of earlier lines and replace them", file_, repeated_));
    if (count_ == 0) ir::fail(ir::ErrorKind::Input, "{}: no results in this file", file_);
    return std::move(complaints_);
  }

 private:
  /// The contenders of a sample with their places; the first is the baseline.
  using Contenders = std::vector<std::pair<std::string, size_t>>;

  /// The place of a record, who is told whether it is the baseline's.
  size_t indexOf(Record& record) {
    Contenders& contenders = samples_[fmt::format("{}\n{}\n{}", record.op, record.dtype, record.sample)];
    const auto same = std::find_if(contenders.begin(), contenders.end(),
                                   [&](const auto& contender) { return contender.first == record.contender; });
    record.isBaseline = same == contenders.begin();
    if (same != contenders.end()) {
      ++repeated_;
      return same->second;
    }
    contenders.emplace_back(record.contender, count_);
    return count_++;
  }

  const std::string& file_;
  const TakeLine& take_;
  std::unordered_map<std::string, Contenders> samples_;
  std::vector<std::string> complaints_;
  int number_ = 0, repeated_ = 0;
  size_t count_ = 0;
};

/// The records of a file whose lines `read` hands on.
Results gathered(const std::string& file, const std::function<std::vector<std::string>(const TakeLine&)>& read) {
  Results results{file, {}, {}};
  results.complaints = read([&](size_t index, Record&& record, const Fields&) {
    if (index == results.records.size()) results.records.emplace_back();
    results.records[index] = std::move(record);
  });
  return results;
}

}  // namespace

Record recordOf(std::string_view line, const std::string& where) { return recordOf(fieldsOf(line, where)); }

std::vector<std::string> readLines(const std::string& file, const TakeLine& take) {
  Reading reading(file, take);
  inputs::readLines(file, [&](std::string_view line, bool isBroken) { reading.line(line, isBroken); });
  return reading.finish();
}

Results read(std::string_view text, const std::string& file) {
  return gathered(file, [&](const TakeLine& take) {
    Reading reading(file, take);
    while (!text.empty()) {
      const size_t end = text.find('\n');
      const bool isBroken = end == std::string_view::npos;
      reading.line(text.substr(0, end), isBroken);
      text.remove_prefix(isBroken ? text.size() : end + 1);
    }
    return reading.finish();
  });
}

Results readFile(const std::string& file) {
  return gathered(file, [&](const TakeLine& take) { return readLines(file, take); });
}

}  // namespace opbench::results
