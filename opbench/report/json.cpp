#include "opbench/report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

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

std::optional<double> gigabytes(std::optional<double> bytes) { return bytes ? std::optional(*bytes / 1e9) : std::nullopt; }

void addTiming(Json& record, const Outcome& outcome) {
  const auto& timing = outcome.timing;
  record["median_us"] = timing ? microsecondsOf(timing->median) : Json(nullptr);
  record["p20_us"] = timing ? microsecondsOf(timing->p20) : Json(nullptr);
  record["p80_us"] = timing ? microsecondsOf(timing->p80) : Json(nullptr);
  record["batches_us"] = Json::array();
  if (timing)
    for (double seconds : timing->batches) record["batches_us"].push_back(microsecondsOf(seconds));
  record["runs"] = timing ? timing->runs : 0;
  record["speedup"] = orNull(outcome.speedup, 5);
}

Json toJson(const Tuning& tuning) {
  return {{"candidates", tuning.candidates},
          {"gain", rounded(tuning.gain, 4)},
          {"stored", tuning.isStored},
          {"refused", tuning.refused}};
}

void addOutcome(Json& record, const Row& row, const Outcome& outcome) {
  record["contender"] = name(outcome.contender);
  record["kind"] = runtime::name(outcome.kind);
  record["status"] = name(outcome.status);
  record["reason"] = outcome.reason;
  addTiming(record, outcome);
  record["bytes"] = row.bytes;
  record["gb_per_s"] = orNull(gigabytes(outcome.bytesPerSecond), 3);
  record["of_copy"] = orNull(outcome.ofCopy, 5);
  record["compile_ms"] = rounded(outcome.compileMs, 3);
  record["cached"] = outcome.cached;
  record["kernels"] = outcome.kernels;
  record["schedule"] = outcome.schedule;
  record["tuning"] = outcome.tuning ? toJson(*outcome.tuning) : Json(nullptr);
  record["graph_nodes"] = outcome.graphNodes >= 0 ? Json(outcome.graphNodes) : Json(nullptr);
  record["not_captured"] = outcome.notCaptured;
}

void addRun(Json& record, const Run& run) {
  record["device_name"] = run.deviceName;
  record["copy_gb_per_s"] = rounded(run.copyBandwidth / 1e9, 1);
  record["seed"] = run.seed;
  record["threads"] = run.threads;
  record["repeats"] = run.repeats;
  record["version"] = run.version;
}

}  // namespace

std::string jsonLines(const Row& row, const Run& run) {
  std::string text;
  for (const Outcome& outcome : row.outcomes) {
    Json record;
    record["index"] = row.index;
    record["op"] = row.op;
    record["sample"] = row.sample;
    record["suite"] = row.suite;
    record["file"] = row.file;
    record["line"] = row.line;
    record["count"] = row.count;
    record["device"] = run.device;
    record["dtype"] = run.dtype;
    addOutcome(record, row, outcome);
    addRun(record, run);
    text += record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace opbench::report
