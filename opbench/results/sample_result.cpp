#include "opbench/results/sample_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <limits>
#include <utility>

#include "inputs/files.h"
#include "inputs/sample.h"
#include "ir/error.h"
#include "opbench/results/environment.h"
#include "opbench/results/fields.h"
#include "opbench/results/schema.h"
#include "opbench/results/sum.h"

namespace opbench::results {
namespace {

constexpr double micro = 1e-6, milli = 1e-3, mega = 1e6, giga = 1e9, tera = 1e12;

std::optional<double> scaled(std::optional<double> value, double scale) {
  return value ? std::optional(*value * scale) : std::nullopt;
}

std::optional<Interval> scaled(const std::optional<Interval>& interval, double scale) {
  return interval ? std::optional(Interval{interval->low * scale, interval->high * scale}) : std::nullopt;
}

/// The enumerator that a field names; an error where it names none. Absent ones are the first.
template <typename Enum>
Enum named(const Fields& fields, const char* field, std::initializer_list<Enum> all) {
  if (!fields.has(field)) return *all.begin();
  const std::string text = fields.text(field);
  for (Enum value : all)
    if (name(value) == text) return value;
  fields.refuse(fmt::format("unknown {} '{}'", field, text));
}

/// A whole number that fits an int.
int intOf(const Fields& fields, const char* name, int otherwise = 0) {
  return static_cast<int>(fields.integer(name, std::numeric_limits<int>::max()).value_or(otherwise));
}

runtime::MemoryLine memoryLineOf(const Fields& fields) {
  const auto bytes = [&](const char* name) { return static_cast<int64_t>(fields.signedNumber(name).value_or(0)); };
  return {fields.requiredText("name"), bytes("added"), bytes("current"), bytes("peak")};
}

void readSample(const Fields& fields, Row& row) {
  row.index = intOf(fields, "index");
  row.op = fields.operatorName("op");
  row.sample = fields.requiredText("sample");
  row.brief = fields.text("brief");
  row.suite = fields.text("suite");
  row.file = fields.text("file");
  row.line = intOf(fields, "line");
  row.count = fields.integer("count", inputs::largestCount).value_or(1);
  row.family = fields.text("family");
  row.traffic.read = fields.integer("bytes_read").value_or(0);
  row.traffic.written = fields.integer("bytes").value_or(0) - row.traffic.read;
  for (const Fields& read : fields.objects("products"))
    row.products.push_back(
        {read.requiredText("precision"), read.integer("flops").value_or(0), read.number("peak_tflops").value_or(0) * tera});
  row.flops = fields.number("flops").value_or(0) - static_cast<double>(row.productFlops());
  for (const Fields& read : fields.objects("memory_trace")) row.memoryTrace.push_back(memoryLineOf(read));
  row.rooflineSeconds = fields.number("roofline_us").value_or(0) * micro;
  row.copySeconds = fields.number("copy_us").value_or(0) * micro;
  row.isLaunchBound = fields.flag("launch_bound");
  row.stolenSeconds = scaled(fields.number("stolen_ms"), milli);
  row.wallSeconds = fields.number("wall_s");
  row.gpu = gpuStateOf(fields);
  row.data = fields.text("data");
  row.notChecked = fields.text("not_checked");
  row.notFenced = fields.text("not_fenced");
  row.notMeasured = fields.text("not_measured");
  row.ceilingsRaised = fields.text("ceilings_raised");
  row.remeasured = fields.text("remeasured");
  row.retried = fields.text("retried");
  row.trivialSolution = fields.text("trivial_solution");
  row.doubt = fields.text("doubt");
  if (!fields.has("stopped")) return;
  row.measurement.emplace();
  row.measurement->stopped = named(fields, "stopped", {Stop::Precision, Stop::MaxTime, Stop::Repeats, Stop::Runs});
  row.measurement->dropped = intOf(fields, "dropped");
  row.measurement->isThrottled = fields.flag("throttled");
  row.measurement->interruptions = intOf(fields, "interruptions");
  row.measurement->isDisturbed = fields.flag("disturbed");
  row.measurement->clock = scaled(fields.number("clock_mhz"), mega);
}

Histogram histogramOf(const Fields& fields) {
  Histogram histogram{fields.number("low_us").value_or(0) * micro, fields.number("high_us").value_or(0) * micro, {}};
  for (const double count : fields.numbers("counts")) histogram.counts.push_back(static_cast<int64_t>(count));
  return histogram;
}

/// Those that a run has measured; a name of each is one measure's.
std::optional<Timing> mainTiming(const Fields& fields) {
  const auto median = fields.number("median_us");
  if (!median) return std::nullopt;
  Timing timing;
  timing.median = *median * micro;
  timing.interval = scaled(fields.confidence("low_us", "high_us"), micro);
  timing.p20 = fields.number("p20_us").value_or(0) * micro;
  timing.p80 = fields.number("p80_us").value_or(0) * micro;
  timing.runs = intOf(fields, "runs");
  if (const auto histogram = fields.object("histogram")) timing.histogram = histogramOf(*histogram);
  for (double round : fields.numbers("rounds_us")) timing.rounds.push_back(round * micro);
  if (const auto ratio = fields.number("speedup")) timing.ratio = {*ratio, fields.confidence("speedup_low", "speedup_high")};
  for (const Fields& read : fields.objects("phases")) {
    Phase phase{read.text("name"), {}};
    for (const double run : read.numbers("runs_us")) phase.runs.push_back(run * micro);
    timing.phases.push_back(std::move(phase));
  }
  return timing;
}

std::optional<Timing> secondaryTiming(const Fields& fields, const std::string& measure) {
  const auto median = fields.number((measure + "_us").c_str());
  if (!median) return std::nullopt;
  Timing timing;
  timing.median = *median * micro;
  timing.interval = scaled(fields.interval((measure + "_low_us").c_str(), (measure + "_high_us").c_str()), micro);
  timing.ratio = {fields.number((measure + "_speedup").c_str()).value_or(1),
                  fields.interval((measure + "_speedup_low").c_str(), (measure + "_speedup_high").c_str())};
  return timing;
}

std::optional<Tuning> tuningOf(const Fields& fields) {
  const auto object = fields.object("tuning");
  if (!object) return std::nullopt;
  Tuning tuning{
      intOf(*object, "candidates", 1), object->number("gain").value_or(1), object->flag("stored"), {}, object->texts("refused")};
  for (const Fields& tried : object->objects("tried"))
    tuning.tried.push_back({intOf(tried, "kernel"), tried.text("schedule"), tried.number("us").value_or(0) * micro});
  return tuning;
}

std::optional<LibraryTrial> libraryTrialOf(const Fields& fields) {
  const auto object = fields.object("library_trial");
  if (!object) return std::nullopt;
  LibraryTrial trial{object->text("library"), object->number("gain").value_or(1), {}, object->texts("refused")};
  for (const Fields& tried : object->objects("tried"))
    trial.tried.push_back({tried.text("library"), tried.number("us").value_or(0) * micro});
  return trial;
}

std::optional<runtime::MemoryPeaks> memoryOf(const Fields& fields) {
  const auto object = fields.object("memory");
  if (!object) return std::nullopt;
  return runtime::MemoryPeaks{object->integer("allocated").value_or(0), object->integer("reserved"), object->integer("process"),
                              object->integer("device"), object->integer("host")};
}

std::optional<Accuracy> accuracyOf(const Fields& fields) {
  const auto object = fields.object("accuracy");
  if (!object) return std::nullopt;
  const auto number = [&](const char* name) { return object->signedNumber(name).value_or(NAN); };
  Accuracy accuracy;
  accuracy.output = intOf(*object, "output");
  accuracy.maxUlp = number("max_ulp");
  accuracy.rmse = number("rmse");
  accuracy.eagerRmse = number("eager_rmse");
  accuracy.cosine = number("cosine");
  for (double index : object->numbers("worst_index")) accuracy.worst.push_back(static_cast<int64_t>(index));
  accuracy.worstFound = number("worst_found");
  accuracy.worstExpected = number("worst_expected");
  accuracy.worstError = number("worst_error");
  accuracy.worstErrorEager = number("eager_worst_error");
  return accuracy;
}

std::optional<runtime::Counters> countersOf(const Fields& fields) {
  const auto object = fields.object("counters");
  if (!object) return std::nullopt;
  runtime::Counters counters;
  counters.missing = object->text("missing");
  for (const Fields& kernel : object->objects("kernels")) {
    const auto number = [&](const char* name) { return kernel.number(name).value_or(0); };
    counters.kernels.push_back({kernel.text("kernel"), number("dram_bytes_read"), number("dram_bytes_written"), number("l2_hits"),
                                number("tensor_active"), number("issue_active"), kernel.text("stall"), number("stall_share")});
  }
  return counters;
}

Outcome outcomeOf(const Fields& fields, const Run& run) {
  using runtime::Kind;
  Outcome outcome;
  const auto contender = contenderFromName(fields.requiredText("contender"));
  if (!contender) fields.refuse(fmt::format("unknown contender '{}'", fields.text("contender")));
  outcome.contender = *contender;
  const auto status = statusFromName(fields.requiredText("status"));
  if (!status) fields.refuse(fmt::format("unknown status '{}'", fields.text("status")));
  outcome.status = *status;
  outcome.kind = named(fields, "kind", {Kind::Fallback, Kind::Generated, Kind::View});
  outcome.reason = fields.text("reason");
  outcome.sibling = fields.text("sibling");
  outcome.caseFolder = fields.text("case");
  outcome.timing = mainTiming(fields);
  outcome.secondary = secondaryTiming(fields, std::string(measureName(run, secondaryMeasure(run))));
  if (const auto kernel = fields.number("kernel_us")) outcome.kernelTime = {*kernel * micro, intOf(fields, "kernels_run")};
  outcome.counters = countersOf(fields);
  outcome.speedup = fields.number("speedup");
  if (outcome.speedup && !outcome.timing) fields.refuse("\"speedup\" stands without \"median_us\"");
  outcome.bytesPerSecond = scaled(fields.number("gb_per_s"), giga);
  outcome.ofRoofline = fields.number("of_roofline");
  outcome.ofCopy = fields.number("of_copy");
  outcome.flopsPerSecond = scaled(fields.number("tflops"), tera);
  outcome.ofPeak = fields.number("of_peak");
  outcome.memory = memoryOf(fields);
  outcome.firstSeconds = scaled(fields.number("first_ms"), milli);
  outcome.joules = scaled(fields.number("energy_mj"), milli);
  outcome.compileMs = fields.number("compile_ms").value_or(0);
  outcome.cached = fields.flag("cached");
  outcome.isPrecompiled = fields.flag("precompiled");
  outcome.precompileMiss = fields.text("precompile_miss");
  outcome.kernels = intOf(fields, "kernels");
  outcome.graphNodes = intOf(fields, "graph_nodes", -1);
  outcome.schedule = fields.text("schedule");
  outcome.tuning = tuningOf(fields);
  outcome.library = fields.text("library");
  outcome.arithmetic = fields.text("arithmetic");
  outcome.libraryTrial = libraryTrialOf(fields);
  outcome.notCaptured = fields.text("not_captured");
  outcome.determinism = determinismFromName(fields.text("determinism"));
  if (!outcome.determinism && fields.has("deterministic"))  // of an earlier program, which did not say how far two runs differ
    outcome.determinism = fields.flag("deterministic") ? Determinism::Bitwise : Determinism::WithinTolerance;
  outcome.accuracy = accuracyOf(fields);
  return outcome;
}

/// Earlier programs kept times that were not measured, as 0; what they are compared with is left out as well.
void dropUnmeasured(Row& row) {
  const bool isLost = std::any_of(row.outcomes.begin(), row.outcomes.end(),
                                  [](const Outcome& outcome) { return outcome.secondary && !outcome.secondary->isMeasured(); });
  if (!isLost) return;
  for (Outcome& outcome : row.outcomes) outcome.secondary.reset();
}

/// The sample whose lines have these fields.
SampleResult sampleResultOf(const std::vector<Fields>& lines, std::string text, int place) {
  SampleResult result;
  result.lines = std::move(text);
  result.place = place;
  for (const Fields& fields : lines) {
    result.schema = std::min(result.schema, fields.schema());
    if (result.row.outcomes.empty()) {
      result.run = runOf(fields);
      readSample(fields, result.row);
    }
    result.row.outcomes.push_back(outcomeOf(fields, result.run));
    result.run.contenders.push_back(result.row.outcomes.back().contender);
    if (result.row.outcomes.back().speedup && !result.row.outcomes.front().timing)
      fields.refuse("\"speedup\" is over a baseline without \"median_us\"");
  }
  dropUnmeasured(result.row);
  return result;
}

/// The schema of a line that a run did not write to its end, which is a file's last; 0 where it is no line of results. A disk
/// that lost power may have left zeros.
int64_t schemaOfLast(std::string_view line) { return schemaOfTorn(line.substr(0, line.find_last_not_of('\0') + 1)); }

/// Puts the lines of a file together that are one sample's.
class Grouping {
 public:
  Grouping(const std::string& file, size_t contenders, const TakeSampleResult& take)
      : file_(file), contenders_(contenders), take_(take) {}

  ReadSampleResults read(std::istream& stream) {
    inputs::LineReader lines(stream, file_);
    bool breaksOff = false;
    while (const auto line = lines.next()) {
      number_ = lines.number();
      breaksOff = lines.breaksOff();
      breaksOff ? addTorn(*line) : add(*line);
      read_ += line->size() + 1;
    }
    finish();
    if (breaksOff || !fields_.empty())
      result_.note =
          fmt::format("{}:{}: the file ends within this sample, which is left out", file_, fields_.empty() ? number_ : place_);
    return std::move(result_);
  }

 private:
  void addTorn(std::string_view line) {
    const int64_t schema = schemaOfLast(line);
    if (schema == 0) ir::fail(ir::ErrorKind::Input, "{}:{}: expected a line of --json results", file_, number_);
    result_.oldestSchema = std::min(result_.oldestSchema, schema);
  }

  void add(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    const std::string where = fmt::format("{}:{}", file_, number_);
    Fields fields = Fields::ofLine(line, where);
    result_.oldestSchema = std::min(result_.oldestSchema, fields.schema());
    const SumState sum = sumStateOf(line);
    if (sum == SumState::Wrong) fields.refuse("the line was edited: its checksum does not match");
    const auto index = fields.integer("index");
    if (!index) ir::fail(ir::ErrorKind::Input, "{}: no \"index\"; expected a line of --json results", where);
    if (!fields_.empty() && *index != index_) finish();
    if (!fields_.empty() && *index != index_)
      ir::fail(ir::ErrorKind::Input, "{}: sample {} comes after {} lines of the sample before it, expected {}", where, index_,
               fields_.size(), expected_);
    if (fields_.empty()) place_ = number_;
    if (fields_.empty()) expected_ = static_cast<size_t>(fields.integer("lines").value_or(static_cast<int64_t>(contenders_)));
    hasSums_ = (fields_.empty() || hasSums_) && sum == SumState::Right;
    index_ = *index;
    lines_.append(line).append("\n");
    fields_.push_back(std::move(fields));
    end_ = read_ + line.size() + 1;
    if (fields_.size() == expected_) finish();
  }

  /// Hands on what is a whole sample.
  void finish() {
    if (fields_.empty()) return;
    if (expected_ == 0) expected_ = contenders_ = fields_.size();
    if (fields_.size() != expected_) return;
    result_.bytes = end_;
    SampleResult result = sampleResultOf(fields_, std::exchange(lines_, {}), static_cast<int>(place_));
    result.hasSums = hasSums_;
    take_(std::move(result));
    fields_.clear();
  }

  const std::string& file_;
  size_t contenders_;  ///< lines of a sample that does not say how many it has; 0 until one was read
  const TakeSampleResult& take_;
  ReadSampleResults result_;
  std::string lines_;           ///< of the sample at hand
  std::vector<Fields> fields_;  ///< of each of them
  bool hasSums_ = true;         ///< whether each has one
  size_t expected_ = 0;         ///< how many it has
  size_t place_ = 0;            ///< the line where they begin, from 1
  size_t number_ = 0;           ///< of the line that was read last
  size_t read_ = 0;             ///< bytes of the lines before it
  size_t end_ = 0;              ///< of those up to the sample's last line
  int64_t index_ = 0;
};

}  // namespace

Run runOf(const Fields& fields) {
  Run run;
  run.device = fields.requiredText("device");
  run.deviceName = fields.text("device_name");
  run.dtype = fields.requiredText("dtype");
  run.ceilings = {fields.number("copy_gb_per_s").value_or(0) * giga, fields.number("read_gb_per_s").value_or(0) * giga,
                  fields.number("peak_gflops").value_or(0) * giga, fields.number("launch_overhead_us").value_or(0) * micro};
  run.aaNoise = fields.aaNoise();
  run.software = fields.text("software");
  run.flush = fields.text("flush") == "read" ? runtime::Flush::Read : runtime::Flush::Write;
  run.isAA = fields.flag("aa");
  run.seed = fields.natural("seed").value_or(0);
  run.threads = intOf(fields, "threads");
  run.processors = intOf(fields, "processors");
  run.channelsLast = fields.flag("channels_last");
  run.repeats = intOf(fields, "repeats");
  run.precision = fields.number("precision").value_or(0.01);
  run.environment = environmentOf(fields);
  run.started = fields.text("started");
  run.selection = fields.text("selection");
  run.options = fields.text("options");
  run.rules = fields.text("rules");
  run.shard = fields.text("shard");
  run.samples = intOf(fields, "samples");
  run.recorded = {fields.integer("recorded_samples").value_or(0), fields.integer("recorded_calls").value_or(0)};
  run.version = fields.text("version");
  return run;
}

SampleResult sampleResultOf(std::string_view lines, const std::string& file, int place) {
  std::vector<Fields> fields;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    fields.push_back(Fields::ofLine(line, fmt::format("{}:{}", file, place + static_cast<int>(fields.size()))));
    rest.remove_prefix(line.size());
  }
  return sampleResultOf(fields, std::string(lines), place);
}

ReadSampleResults readSampleResults(std::istream& stream, const std::string& file, size_t contenders,
                                    const TakeSampleResult& take) {
  return Grouping(file, contenders, take).read(stream);
}

}  // namespace opbench::results
