#include "opbench/measure/device/copy_times.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/measure/device/ceilings.h"

namespace opbench {

using Json = nlohmann::json;

std::string copyTimesKey(runtime::Device& device, runtime::Flush flush) { return "copy times 1, " + ceilingsKey(device, flush); }

CopyTimes copyTimesOf(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache) {
  constexpr int64_t fewest = 2048, step = 4;  // elements
  const bool isCuda = device.target().backend == ir::Backend::Cuda;
  const int64_t most = int64_t{1} << (isCuda ? 27 : 23);
  const std::string key = copyTimesKey(device, flush);
  const auto text = cache.find(key);
  if (const auto cached = text ? copyTimesOf(*text, now()) : std::nullopt) return *cached;
  CopyTimes times;
  bool isDisturbed = false;
  for (int64_t elements = fewest; elements <= most; elements *= step) {
    const Settled settled = settledOf("aten.clone.default", fmt::format("(T([{}], f32),)", elements),
                                      isCuda ? runtime::Measure::Cold : runtime::Measure::BackToBack, device, cache);
    isDisturbed = isDisturbed || settled.isDisturbed;
    times.points.push_back({8 * elements, settled.seconds});
  }
  if (!isDisturbed) cache.put(key, toText(times, now()));
  return times;
}

std::string toText(const CopyTimes& times, int64_t measured) {
  Json points = Json::array();
  for (const CopyTimes::Point& point : times.points) points.push_back({point.bytes, point.seconds});
  return Json{{"points", points}, {"measured", measured}}.dump();
}

std::optional<CopyTimes> copyTimesOf(std::string_view text, int64_t now) {
  constexpr double longest = 1e3;
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("points") || !json["points"].is_array()) return std::nullopt;
  const Json measured = json.value("measured", Json());
  if (!measured.is_number_integer() || !isRecent(measured.get<int64_t>(), now)) return std::nullopt;
  CopyTimes times;
  for (const Json& point : json["points"]) {
    if (!point.is_array() || point.size() != 2 || !point[0].is_number_integer() || !point[1].is_number()) return std::nullopt;
    const CopyTimes::Point read{point[0].get<int64_t>(), point[1].get<double>()};
    const int64_t least = times.points.empty() ? 0 : times.points.back().bytes;
    if (read.bytes <= least || !(read.seconds > 0 && read.seconds < longest)) return std::nullopt;
    times.points.push_back(read);
  }
  return times.points.empty() ? std::nullopt : std::optional(times);
}

}  // namespace opbench
