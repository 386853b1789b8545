#include "opbench/results/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

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
  record.sibling = fields.text("sibling");
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

Record recordOf(const Fields& fields) {
  Record record;
  readSample(fields, record);
  readTiming(fields, record);
  readSecondary(fields, record);
  readOutcome(fields, record);
  readRun(fields, record);
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
