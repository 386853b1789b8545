#include "opbench/results/read.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <tuple>

#include "inputs/files.h"
#include "inputs/sample.h"
#include "ir/error.h"
#include "opbench/results/environment.h"
#include "opbench/results/fields.h"
#include "opbench/results/sum.h"

namespace opbench::results {
namespace {

constexpr int64_t largestInt = std::numeric_limits<int>::max();

void readSample(const Fields& fields, Record& record) {
  record.op = fields.operatorName("op");
  record.sample = fields.requiredText("sample");
  record.suite = fields.text("suite");
  record.file = fields.text("file");
  record.index = fields.integer("index", largestInt).value_or(0);
  record.line = fields.integer("line", largestInt).value_or(0);
  record.count = fields.integer("count", inputs::largestCount).value_or(1);
}

void readTiming(const Fields& fields, Record& record) {
  record.median = fields.number("median_us");
  if (record.median && *record.median <= 0) record.median.reset();
  record.medianInterval = fields.confidence("low_us", "high_us");
  record.percentiles = fields.interval("p20_us", "p80_us");
  record.rounds = fields.numbers("rounds_us");
  record.runs = fields.integer("runs").value_or(0);
  record.wallSeconds = fields.number("wall_s");
  record.speedup = fields.number("speedup");
  record.speedupInterval = fields.confidence("speedup_low", "speedup_high");
  record.gigabytesPerSecond = fields.number("gb_per_s");
  record.clockMhz = fields.number("clock_mhz");
  if (const auto first = fields.number("first_ms")) record.firstSeconds = *first / 1e3;
  if (const auto memory = fields.object("memory")) record.peakBytes = memory->integer("allocated");
  record.isLaunchBound = fields.flag("launch_bound");
  record.isDisturbed = fields.flag("disturbed");
  if (record.median) record.aaNoise = fields.number("aa_noise");  // earlier lines had that of the device, whatever they measured
}

/// The secondary measure of a CUDA device is throughput, whose times are differences of times; that of a CPU is cold.
void readSecondary(const Fields& fields, Record& record) {
  const bool isThroughput = fields.signedNumber("throughput_us").has_value();
  const auto median = fields.signedNumber(isThroughput ? "throughput_us" : "cold_us");
  const auto low = fields.signedNumber(isThroughput ? "throughput_low_us" : "cold_low_us");
  const auto high = fields.signedNumber(isThroughput ? "throughput_high_us" : "cold_high_us");
  if (!median || !low || !high || *low <= 0 || *low > *median || *median > *high) return;
  record.secondary = median;
  record.secondaryInterval = Interval{*low, *high};
}

void readOutcome(const Fields& fields, Record& record) {
  record.contender = fields.requiredText("contender");
  record.kind = fields.text("kind");
  record.status = fields.requiredText("status");
  record.reason = fields.text("reason");
  record.retried = fields.text("retried");
  const auto disposition = dispositionOf(record.status, record.median.has_value());
  if (!disposition) fields.refuse(fmt::format("unknown status '{}'", record.status));
  record.disposition = *disposition;
}

void readRun(const Fields& fields, Record& record) {
  record.device = fields.requiredText("device");
  record.deviceName = fields.text("device_name");
  record.dtype = fields.requiredText("dtype");
  record.data = fields.text("data");
  record.flush = fields.text("flush");
  record.environment = environmentOf(fields);
  record.version = fields.text("version");
  record.seed = fields.natural("seed");
  record.threads = fields.integer("threads", largestInt).value_or(0);
  record.channelsLast = fields.flag("channels_last");
  record.isAA = fields.flag("aa");
}

/// Gathers records, of which the last of equal ones counts.
class Gathering {
 public:
  explicit Gathering(Results& results) : results_(results) {}

  void add(Record record) {
    const auto [first, _] = baselines_.try_emplace(std::tuple(record.op, record.sample, record.dtype), record.contender);
    record.isBaseline = first->second == record.contender;
    const auto [entry, isNew] =
        indices_.try_emplace(std::tuple(record.op, record.sample, record.dtype, record.contender), results_.records.size());
    if (isNew) {
      results_.records.push_back(std::move(record));
      return;
    }
    ++repeated_;
    results_.records[entry->second] = std::move(record);
  }
  void finish() {
    if (repeated_ > 0)
      results_.complaints.push_back(
          fmt::format("{}: {} lines repeat samples of earlier lines and replace them", results_.file, repeated_));
  }

 private:
  Results& results_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, size_t> indices_;
  std::map<std::tuple<std::string, std::string, std::string>, std::string> baselines_;  ///< by sample: the contender
  int repeated_ = 0;
};

}  // namespace

Record recordOf(std::string_view line, const std::string& where) {
  if (const size_t longest = inputs::FileLimits().line; line.size() > longest)
    ir::fail(ir::ErrorKind::Input, "{}: the line is longer than {} bytes", where, longest);
  const Fields fields = Fields::ofLine(line, where);
  Record record;
  readSample(fields, record);
  readTiming(fields, record);
  readSecondary(fields, record);
  readOutcome(fields, record);
  readRun(fields, record);
  return record;
}

Results read(std::string_view text, const std::string& file) {
  Results results{file, {}, {}};
  Gathering gathering(results);
  int number = 0;
  for (size_t from = 0; from < text.size();) {
    const size_t end = text.find('\n', from);
    const bool breaksOff = end == std::string_view::npos;
    const std::string_view line = text.substr(from, end - from);
    from = breaksOff ? text.size() : end + 1;
    const std::string where = fmt::format("{}:{}", file, ++number);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      Record record = recordOf(line, where);
      if (sumStateOf(line) == SumState::Wrong)
        results.complaints.push_back(where + ": the line was edited: its checksum does not match");
      record.place = number;
      gathering.add(std::move(record));
    } catch (const ir::Error&) {
      if (!breaksOff || results.records.empty() || nlohmann::json::accept(line)) throw;
      results.complaints.push_back(where + ": the line is cut off and is skipped");
    }
  }
  gathering.finish();
  if (results.records.empty()) ir::fail(ir::ErrorKind::Input, "{}: no results in this file", file);
  return results;
}

Results readFile(const std::string& file) { return read(inputs::readFile(file), file); }

}  // namespace opbench::results
