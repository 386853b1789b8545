#include "opbench/report/dashboard.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "inputs/operator_name.h"

namespace opbench::report {
namespace {

using Json = nlohmann::ordered_json;
using results::Disposition;
using results::Record;

/// `cuda` of `cuda:1`
std::string deviceKind(const Record& record) { return record.device.substr(0, record.device.find(':')); }

/// `6714d17` of `opbench 0.1.0 (6714d17)`
std::string commitOf(const std::string& version) {
  const size_t open = version.find('('), close = version.find(')');
  return open == std::string::npos || close < open ? "" : version.substr(open + 1, close - open - 1);
}

/// A network's is part of its name; files of calls are recorded in one.
std::string modeOf(const Record& record) {
  const std::string& text = inputs::isNetwork(record.op) ? record.op : record.file;
  return text.find("training") == std::string::npos ? "inference" : "training";
}

/// `resnet18` of `model.resnet18.training`
std::string networkName(const std::string& op) {
  const size_t first = op.find('.'), last = op.rfind('.');
  return op.substr(first + 1, last - first - 1);
}

Json benchmarkOf(const Record& record) {
  const Json extra = {{"operator_name", record.op},
                      {"input_config", record.sample},
                      {"device", deviceKind(record)},
                      {"arch", record.deviceName},
                      {"suite", record.suite},
                      {"calls", std::to_string(record.count)},
                      {"kind", record.kind},
                      {"data", record.data},
                      {"flush", record.flush},
                      {"seed", record.seed ? std::to_string(*record.seed) : ""},
                      {"threads", std::to_string(record.threads)}};
  return {{"name", "opbench"}, {"mode", modeOf(record)}, {"dtype", record.dtype}, {"extra_info", extra}};
}

Json modelOf(const Record& record) {
  const bool isNetwork = inputs::isNetwork(record.op);
  return {{"name", isNetwork ? networkName(record.op) : record.op + " " + record.sample},
          {"type", isNetwork ? "model" : "micro-benchmark"},
          {"backend", record.contender},
          {"origins", {"pytorch"}},
          {"extra_info", Json::object()}};
}

Json runnerOf(const Record& record) {
  const bool isCpu = deviceKind(record) == "cpu";
  return {{"name", deviceKind(record)},
          {"type", record.deviceName},
          {isCpu ? "cpu_info" : "gpu_info", record.deviceName},
          {isCpu ? "cpu_count" : "gpu_count", isCpu ? std::max<int64_t>(record.threads, 1) : 1},
          {"extra_info", Json::object()}};
}

/// Writes the metrics of one record.
class Metrics {
 public:
  Metrics(Json& list, const Record& record) : list_(list) {
    common_["benchmark"] = benchmarkOf(record);
    common_["model"] = modelOf(record);
    common_["metric"] = nullptr;
    common_["inputs"] = Json::object();
    common_["runners"] = Json::array({runnerOf(record)});
    common_["dependencies"] = {
        {"opbench", {{"sha", commitOf(record.version)}, {"version", record.version}, {"extra_info", Json::object()}}}};
  }

  void add(const char* name, const std::vector<double>& values, const Json& extra = Json::object()) {
    Json record = common_;
    record["metric"] = {{"name", name}, {"benchmark_values", values}, {"target_value", 0}, {"extra_info", extra}};
    list_.push_back(std::move(record));
  }

 private:
  Json& list_;
  Json common_;
};

void addTo(Json& list, const Record& record) {
  if (record.disposition == Disposition::Unmeasured) return;
  Metrics metrics(list, record);
  const bool passed = record.disposition == Disposition::Measured;
  metrics.add("passed", {passed ? 1.0 : 0.0}, {{"status", record.status}, {"reason", record.reason}});
  if (!passed) return;
  const Json microseconds = {{"unit", "us"}, {"aggregation", "median"}, {"runs", std::to_string(record.runs)}};
  metrics.add("latency", record.rounds.empty() ? std::vector{*record.median} : record.rounds, microseconds);
  if (record.speedup) metrics.add("speedup", {*record.speedup}, {{"unit", "x"}});
  if (record.firstSeconds) metrics.add("first run", {*record.firstSeconds}, {{"unit", "s"}});
  if (record.peakBytes) metrics.add("peak memory", {static_cast<double>(*record.peakBytes) * 1e-9}, {{"unit", "GB"}});
  if (record.gigabytesPerSecond) metrics.add("memory bandwidth", {*record.gigabytesPerSecond}, {{"unit", "GB/s"}});
}

}  // namespace

std::string dashboard(const std::vector<Record>& records) {
  std::string text;
  writeDashboard(records, [&](std::string_view part) { text += part; });
  return text;
}

void writeDashboard(const std::vector<Record>& records, const std::function<void(std::string_view)>& write) {
  bool isFirst = true;
  for (const Record& record : records) {
    Json list = Json::array();
    addTo(list, record);
    if (list.empty()) continue;
    std::string lines = list.dump(1, ' ', false, Json::error_handler_t::replace);  // `[`, its items, `]`
    lines.resize(lines.size() - 2);
    if (!std::exchange(isFirst, false)) lines.replace(0, 1, ",");
    write(lines);
  }
  write(isFirst ? "[]\n" : "\n]\n");
}

}  // namespace opbench::report
