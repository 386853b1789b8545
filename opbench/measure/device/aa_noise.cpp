#include "opbench/measure/device/aa_noise.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/results/statistics.h"

namespace opbench {
namespace {

using Json = nlohmann::json;

constexpr size_t leastDeviations = 6;  // of a class

/// How far the speedups of one call, of all processes, lie from their median: logarithms, in a unit of which a median of few
/// values takes nothing off.
std::vector<double> deviationsOf(const std::vector<double>& speedups) {
  std::vector<double> logs;
  for (const double speedup : speedups) logs.push_back(std::log(speedup));
  if (logs.size() < 2) return {};
  const double centre = median(logs), n = static_cast<double>(logs.size());
  for (double& log : logs) log = std::abs(log - centre) * std::sqrt(n / (n - 1));
  return logs;
}

/// The share that tells how far single measurements lie from their median. The quantile belongs to one standard deviation; a few
/// measurements that something disturbed do not move it.
double shareOf(const std::vector<double>& deviations) {
  constexpr double withinDeviation = 0.6827, ofNormal = 1.96;
  return std::expm1(ofNormal * std::numbers::sqrt2 * quantile(deviations, withinDeviation));
}

std::optional<double> shareIn(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  const auto share = value.get<double>();
  return share > 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

/// A call as the cache keeps it, an array of its time and its speedups; nothing for values that no measurement finds.
std::optional<AACall> callIn(const Json& value) {
  if (!value.is_array() || value.size() < 2) return std::nullopt;
  std::vector<double> numbers;
  for (const Json& number : value) {
    if (!number.is_number()) return std::nullopt;
    numbers.push_back(number.get<double>());
    if (!(numbers.back() > 0 && numbers.back() < 1e9)) return std::nullopt;
  }
  return AACall{numbers.front(), {numbers.begin() + 1, numbers.end()}};
}

std::optional<AAProcess> processIn(const Json& value, int64_t now) {
  if (!value.is_object() || !value.contains("measured") || !value["measured"].is_number_integer()) return std::nullopt;
  AAProcess process{value["measured"].get<int64_t>(), {}};
  const auto calls = value.find("calls");
  if (!isRecent(process.measured, now) || calls == value.end() || !calls->is_array()) return std::nullopt;
  for (const Json& each : *calls) {
    auto call = callIn(each);
    if (!call) return std::nullopt;
    process.calls.push_back(std::move(*call));
  }
  return process;
}

}  // namespace

AANoise CachedAANoise::noise() const {
  std::array<std::vector<double>, durationClasses> deviations;
  const size_t calls = processes.empty() ? 0 : processes.front().calls.size();
  for (size_t i = 0; i < calls; ++i) {
    std::vector<double> speedups, seconds;
    for (const AAProcess& process : processes) {
      if (process.calls.size() != calls) continue;
      seconds.push_back(process.calls[i].seconds);
      speedups.insert(speedups.end(), process.calls[i].speedups.begin(), process.calls[i].speedups.end());
    }
    std::vector<double>& ofClass = deviations[durationClassOf(median(seconds))];
    const std::vector<double> own = deviationsOf(speedups);
    ofClass.insert(ofClass.end(), own.begin(), own.end());
  }
  AANoise noise = byRun;
  for (size_t i = 0; i < durationClasses; ++i)
    if (deviations[i].size() >= leastDeviations)
      noise.shares[i] = std::min(1.0, std::max(noise.shares[i].value_or(0), shareOf(deviations[i])));
  return noise;
}

std::string toText(const CachedAANoise& cached) {
  Json processes = Json::array(), byRun = Json::array();
  for (const AAProcess& process : cached.processes) {
    Json calls = Json::array();
    for (const AACall& call : process.calls) {
      calls.push_back(Json::array({call.seconds}));
      for (const double speedup : call.speedups) calls.back().push_back(speedup);
    }
    processes.push_back({{"measured", process.measured}, {"calls", calls}});
  }
  for (const auto& share : cached.byRun.shares) byRun.push_back(share ? Json(*share) : Json(nullptr));
  return Json{{"processes", processes}, {"by_run", byRun}}.dump();
}

std::optional<CachedAANoise> cachedAANoiseOf(std::string_view text, int64_t now) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("processes") || !json["processes"].is_array()) return std::nullopt;
  CachedAANoise cached;
  for (const Json& each : json["processes"])
    if (auto process = processIn(each, now)) cached.processes.push_back(std::move(*process));
  const auto byRun = json.find("by_run");
  if (byRun != json.end() && byRun->is_array())
    for (size_t i = 0; i < std::min(byRun->size(), durationClasses); ++i) cached.byRun.shares[i] = shareIn((*byRun)[i]);
  return cached;
}

}  // namespace opbench
