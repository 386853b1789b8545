#include "opbench/report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "inputs/operator_name.h"
#include "opbench/measure/statistics.h"
#include "opbench/results/environment.h"
#include "opbench/results/schema.h"
#include "opbench/results/sum.h"

namespace opbench::report {
namespace {

using Json = nlohmann::ordered_json;

/// Without the digits that carry only noise.
double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

Json microsecondsOf(double seconds) { return rounded(seconds * 1e6, 3); }

Json orNull(std::optional<double> value, int decimals) { return value ? Json(rounded(*value, decimals)) : Json(nullptr); }

std::optional<double> scaledToGiga(std::optional<double> bytes) { return bytes ? std::optional(*bytes / 1e9) : std::nullopt; }

Json microsecondsOrNull(const std::optional<Timing>& timing, double Timing::* seconds) {
  return timing ? microsecondsOf((*timing).*seconds) : Json(nullptr);
}

/// The ends in another unit; null where there is no interval.
void addInterval(Json& record, const std::string& low, const std::string& high, const std::optional<Interval>& interval,
                 double scale, int decimals) {
  record[low] = interval ? Json(rounded(interval->low * scale, decimals)) : Json(nullptr);
  record[high] = interval ? Json(rounded(interval->high * scale, decimals)) : Json(nullptr);
}

Json toJson(const Histogram& histogram) {
  return {{"low_us", microsecondsOf(histogram.low)}, {"high_us", microsecondsOf(histogram.high)}, {"counts", histogram.counts}};
}

/// The main measure has plain names, the other one its own before them.
void addTiming(Json& record, const Outcome& outcome, const Run& run) {
  const auto& timing = outcome.timing;
  record["measure"] = measureName(run, mainMeasure(run));
  record["median_us"] = microsecondsOrNull(timing, &Timing::median);
  addInterval(record, "low_us", "high_us", timing ? timing->interval : std::nullopt, 1e6, 3);
  record["p20_us"] = microsecondsOrNull(timing, &Timing::p20);
  record["p80_us"] = microsecondsOrNull(timing, &Timing::p80);
  record["rounds_us"] = Json::array();
  if (timing)
    for (double seconds : timing->rounds) record["rounds_us"].push_back(microsecondsOf(seconds));
  record["runs"] = timing ? timing->runs : 0;
  if (timing && !timing->histogram.counts.empty()) record["histogram"] = toJson(timing->histogram);
  record["speedup"] = orNull(outcome.speedup, 6);
  addInterval(record, "speedup_low", "speedup_high", outcome.speedup ? timing->ratio.interval : std::nullopt, 1, 6);
  const auto& secondary = outcome.secondary;
  const std::string other(measureName(run, secondaryMeasure(run)));
  record[other + "_us"] = microsecondsOrNull(secondary, &Timing::median);
  addInterval(record, other + "_low_us", other + "_high_us", secondary ? secondary->interval : std::nullopt, 1e6, 3);
  record[other + "_speedup"] = secondary ? Json(rounded(secondary->ratio.median, 6)) : Json(nullptr);
  addInterval(record, other + "_speedup_low", other + "_speedup_high", secondary ? secondary->ratio.interval : std::nullopt, 1,
              6);
}

void addMeasurement(Json& record, const Row& row) {
  const auto& measurement = row.measurement;
  if (!row.notMeasured.empty()) record["not_measured"] = row.notMeasured;
  if (!row.ceilingsRaised.empty()) record["ceilings_raised"] = row.ceilingsRaised;
  record["stopped"] = measurement ? Json(name(measurement->stopped)) : Json(nullptr);
  record["dropped"] = measurement ? measurement->dropped : 0;
  record["throttled"] = measurement && measurement->isThrottled;
  record["interruptions"] = measurement ? measurement->interruptions : 0;
  record["disturbed"] = measurement && measurement->isDisturbed;
  record["clock_mhz"] = measurement && measurement->clock ? Json(rounded(*measurement->clock / 1e6, 0)) : Json(nullptr);
  record["wall_s"] = orNull(row.wallSeconds, 3);
  record["gpu"] = row.gpu ? results::toJson(*row.gpu) : Json(nullptr);
  record["stolen_ms"] = row.stolenSeconds ? Json(rounded(*row.stolenSeconds * 1e3, 0)) : Json(nullptr);
}

Json toJson(const Tried& tried) {
  return {{"kernel", tried.kernel}, {"schedule", tried.schedule}, {"us", rounded(tried.seconds * 1e6, 3)}};
}

Json toJson(const Tuning& tuning) {
  Json tried = Json::array();
  for (const Tried& one : tuning.tried) tried.push_back(toJson(one));
  return {{"candidates", tuning.candidates},
          {"gain", rounded(tuning.gain, 4)},
          {"stored", tuning.isStored},
          {"tried", tried},
          {"refused", tuning.refused}};
}

Json toJson(const LibraryTrial& trial) {
  Json tried = Json::array();
  for (const TriedLibrary& one : trial.tried) tried.push_back({{"library", one.library}, {"us", rounded(one.seconds * 1e6, 3)}});
  return {{"library", trial.library}, {"gain", rounded(trial.gain, 4)}, {"tried", tried}, {"refused", trial.refused}};
}

Json numberOf(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json toJson(const Accuracy& accuracy) {
  return {{"output", accuracy.output},
          {"max_ulp", numberOf(accuracy.maxUlp)},
          {"rmse", numberOf(accuracy.rmse)},
          {"eager_rmse", numberOf(accuracy.eagerRmse)},
          {"cosine", numberOf(accuracy.cosine)},
          {"worst_index", accuracy.worst},
          {"worst_found", numberOf(accuracy.worstFound)},
          {"worst_expected", numberOf(accuracy.worstExpected)},
          {"worst_error", numberOf(accuracy.worstError)},
          {"eager_worst_error", numberOf(accuracy.worstErrorEager)}};
}

void addJudgement(Json& record, const Row& row, const Outcome& outcome) {
  record["data"] = row.data;
  record["retried"] = row.retried.empty() ? Json(nullptr) : Json(row.retried);
  if (!row.remeasured.empty()) record["remeasured"] = row.remeasured;
  if (!row.notChecked.empty()) record["not_checked"] = row.notChecked;
  if (!row.notFenced.empty()) record["not_fenced"] = row.notFenced;
  if (!row.doubt.empty()) record["doubt"] = row.doubt;
  record["trivial_solution"] = row.trivialSolution.empty() ? Json(nullptr) : Json(row.trivialSolution);
  record["deterministic"] = outcome.determinism ? Json(!outcome.isVarying()) : Json(nullptr);
  record["determinism"] = outcome.determinism ? Json(name(*outcome.determinism)) : Json(nullptr);
  record["accuracy"] = outcome.accuracy ? toJson(*outcome.accuracy) : Json(nullptr);
}

Json toJson(const runtime::MemoryPeaks& peaks) {
  const auto bytes = [](std::optional<int64_t> value) { return value ? Json(*value) : Json(nullptr); };
  return {{"allocated", peaks.allocated},
          {"reserved", bytes(peaks.reserved)},
          {"process", bytes(peaks.process)},
          {"device", bytes(peaks.device)},
          {"host", bytes(peaks.host)}};
}

Json toJson(const runtime::MemoryLine& line) {
  return {{"name", line.name}, {"added", line.added}, {"current", line.current}, {"peak", line.peak}};
}

/// Adds what networks have beside the fields of operators: figures of whole runs, and the phases, `forward` and `backward`, with
/// the runs of each and the figures that follow from them.
void addNetwork(Json& record, const Row& row, const Outcome& outcome) {
  const auto& timing = outcome.timing;
  for (const auto& [name, share] : {std::pair("p90_us", 0.9), {"p95_us", 0.95}, {"p99_us", 0.99}})
    record[name] = timing && !timing->rounds.empty() ? microsecondsOf(quantile(timing->rounds, share)) : Json(nullptr);
  record["memory"] = outcome.memory ? toJson(*outcome.memory) : Json(nullptr);
  record["first_ms"] = outcome.firstSeconds ? Json(rounded(*outcome.firstSeconds * 1e3, 3)) : Json(nullptr);
  record["energy_mj"] = outcome.joules ? Json(rounded(*outcome.joules * 1e3, 3)) : Json(nullptr);
  record["products"] = Json::array();
  for (const Products& each : row.products)
    record["products"].push_back({{"precision", each.precision},
                                  {"flops", each.flops},
                                  {"peak_tflops", each.peak > 0 ? Json(rounded(each.peak / 1e12, 6)) : Json(nullptr)}});
  record["tflops"] = outcome.flopsPerSecond ? Json(rounded(*outcome.flopsPerSecond / 1e12, 6)) : Json(nullptr);
  record["of_peak"] = orNull(outcome.ofPeak, 5);
  // It is the sample's, and long: the first line has it.
  if (!row.memoryTrace.empty() && &outcome == &row.outcomes.front()) {
    record["memory_trace"] = Json::array();
    for (const runtime::MemoryLine& line : row.memoryTrace) record["memory_trace"].push_back(toJson(line));
  }
  Json phases = Json::array();
  for (const Phase& phase : timing ? timing->phases : std::vector<Phase>()) {
    Json runs = Json::array();
    for (const double seconds : phase.runs) runs.push_back(microsecondsOf(seconds));
    const Moments moments = momentsOf(phase.runs);
    phases.push_back({{"name", phase.name},
                      {"median_us", microsecondsOf(median(phase.runs))},
                      {"mean_us", microsecondsOf(moments.mean)},
                      {"std_us", moments.deviation ? microsecondsOf(*moments.deviation) : Json(nullptr)},
                      {"runs_us", runs}});
  }
  record["phases"] = phases;
}

Json toJson(const runtime::Counters& counters) {
  Json kernels = Json::array();
  for (const runtime::KernelCounters& kernel : counters.kernels)
    kernels.push_back({{"kernel", kernel.kernel},
                       {"dram_bytes_read", kernel.bytesRead},
                       {"dram_bytes_written", kernel.bytesWritten},
                       {"l2_hits", rounded(kernel.l2Hits, 5)},
                       {"tensor_active", rounded(kernel.tensorActive, 5)},
                       {"issue_active", rounded(kernel.issueActive, 5)},
                       {"stall", kernel.stall},
                       {"stall_share", rounded(kernel.stallShare, 5)}});
  return {{"kernels", kernels}, {"missing", counters.missing}};
}

void addOutcome(Json& record, const Row& row, const Outcome& outcome, const Run& run) {
  record["contender"] = name(outcome.contender);
  record["kind"] = runtime::name(outcome.kind);
  record["status"] = name(outcome.status);
  record["reason"] = outcome.reason;
  if (!outcome.sibling.empty()) record["sibling"] = outcome.sibling;
  if (!outcome.caseFolder.empty()) record["case"] = outcome.caseFolder;
  addTiming(record, outcome, run);
  addMeasurement(record, row);
  record["family"] = row.family;
  record["bytes"] = row.bytes();
  record["bytes_read"] = row.traffic.read;
  record["flops"] = row.flops + static_cast<double>(row.productFlops());
  record["roofline_us"] = microsecondsOf(row.rooflineSeconds);
  record["launch_bound"] = row.isLaunchBound;
  record["aa_noise"] = orNull(outcome.timing ? run.aaNoise.of(outcome.timing->median) : std::nullopt, 5);
  record["gb_per_s"] = orNull(scaledToGiga(outcome.bytesPerSecond), 3);
  record["of_roofline"] = orNull(outcome.ofRoofline, 5);
  record["copy_us"] = row.copySeconds > 0 ? microsecondsOf(row.copySeconds) : Json(nullptr);
  record["of_copy"] = orNull(outcome.ofCopy, 5);
  record["compile_ms"] = rounded(outcome.compileMs, 3);
  record["cached"] = outcome.cached;
  record["precompiled"] = outcome.isPrecompiled;
  record["precompile_miss"] = outcome.precompileMiss;
  record["kernels"] = outcome.kernels;
  record["schedule"] = outcome.schedule;
  record["tuning"] = outcome.tuning ? toJson(*outcome.tuning) : Json(nullptr);
  record["library"] = outcome.library;
  if (!outcome.arithmetic.empty()) record["arithmetic"] = outcome.arithmetic;
  record["library_trial"] = outcome.libraryTrial ? toJson(*outcome.libraryTrial) : Json(nullptr);
  record["kernel_us"] = outcome.kernelTime ? microsecondsOf(outcome.kernelTime->seconds) : Json(nullptr);
  record["kernels_run"] = outcome.kernelTime ? Json(outcome.kernelTime->kernels) : Json(nullptr);
  if (outcome.counters) record["counters"] = toJson(*outcome.counters);
  record["graph_nodes"] = outcome.graphNodes >= 0 ? Json(outcome.graphNodes) : Json(nullptr);
  record["not_captured"] = outcome.notCaptured;
  if (inputs::isNetwork(row.op)) addNetwork(record, row, outcome);
  addJudgement(record, row, outcome);
}

void addRun(Json& record, const Run& run) {
  record["device"] = run.device;
  record["dtype"] = run.dtype;
  record["device_name"] = run.deviceName;
  const Ceilings& ceilings = run.ceilings;
  const auto known = [](double ceiling, double scale, int decimals) {
    return ceiling > 0 ? Json(rounded(ceiling * scale, decimals)) : Json(nullptr);
  };
  record["copy_gb_per_s"] = known(ceilings.copy, 1e-9, 1);
  record["read_gb_per_s"] = known(ceilings.read, 1e-9, 1);
  record["peak_gflops"] = known(ceilings.flops, 1e-9, 1);
  record["launch_overhead_us"] = known(ceilings.launchOverhead, 1e6, 3);
  record["aa_noises"] = Json::array();
  for (const auto& share : run.aaNoise.shares) record["aa_noises"].push_back(orNull(share, 5));
  record["software"] = run.software;
  record["flush"] = run.threads > 0 ? "lines" : run.flush == runtime::Flush::Write ? "write" : "read";
  record["aa"] = run.isAA;
  record["seed"] = run.seed;
  record["threads"] = run.threads;
  record["processors"] = run.processors;
  if (run.channelsLast) record["channels_last"] = true;
  record["repeats"] = run.repeats;
  record["precision"] = run.precision;
  record["environment"] = results::toJson(run.environment);
  record["started"] = run.started;
  record["selection"] = run.selection;
  record["options"] = run.options;
  if (!run.rules.empty()) record["rules"] = run.rules;
  record["shard"] = run.shard;
  record["samples"] = run.samples;
  record["recorded_samples"] = run.recorded.samples;
  record["recorded_calls"] = run.recorded.calls;
  record["version"] = run.version;
}

}  // namespace

std::string runJson(const Run& run) {
  Json object;
  addRun(object, run);
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string jsonLines(const Row& row, const Run& run) {
  std::string text;
  for (const Outcome& outcome : row.outcomes) {
    Json record;
    record["schema"] = results::currentSchema;
    record["index"] = row.index;
    record["op"] = row.op;
    record["sample"] = row.sample;
    record["brief"] = row.brief;
    record["suite"] = row.suite;
    record["file"] = row.file;
    record["line"] = row.line;
    record["count"] = row.count;
    if (inputs::isNetwork(row.op)) record["lines"] = row.outcomes.size();
    addOutcome(record, row, outcome, run);
    addRun(record, run);
    text += results::withSum(record.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
  }
  return text;
}

}  // namespace opbench::report
