#include "opbench/measure/device/copy_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/measure/device/ceilings.h"
#include "opbench/text/time.h"

namespace opbench {

using Json = nlohmann::json;

namespace {

/// The shorter time of each size that both have.
CopyTimes shortest(CopyTimes times, const CopyTimes& others) {
  for (CopyTimes::Point& point : times.points)
    for (const CopyTimes::Point& other : others.points)
      if (other.bytes == point.bytes) point.seconds = std::min(point.seconds, other.seconds);
  return times;
}

}  // namespace

std::string copyTimesKey(runtime::Device& device, runtime::Flush flush) { return "copy times 1, " + ceilingsKey(device, flush); }

CopyTimes copyTimesOf(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache) {
  constexpr int64_t fewest = 2048, step = 4;  // elements
  const bool isCuda = device.target().backend == ir::Backend::Cuda;
  const int64_t most = int64_t{1} << (isCuda ? 27 : 23);
  const std::string key = copyTimesKey(device, flush);
  const auto text = cache.find(key);
  const auto cached = text ? cachedCopyTimesOf(*text, now()) : std::nullopt;
  if (cached && !isDue(cached->measured, cached->disturbed, now())) return cached->times;
  CachedCopyTimes found{{}, now()};
  for (int64_t elements = fewest; elements <= most; elements *= step) {
    const Settled settled = settledOf("aten.clone.default", fmt::format("(T([{}], f32),)", elements),
                                      isCuda ? runtime::Measure::Cold : runtime::Measure::BackToBack, device, cache);
    if (settled.isDisturbed) found.disturbed = 1;
    found.times.points.push_back({8 * elements, settled.seconds});
  }
  if (cached) {
    if (found.disturbed > 0) found.disturbed += cached->disturbed;
    found.times = shortest(std::move(found.times), cached->times);
  }
  cache.put(key, toText(found));
  return found.times;
}

std::string toText(const CachedCopyTimes& cached) {
  Json points = Json::array();
  for (const CopyTimes::Point& point : cached.times.points) points.push_back({point.bytes, point.seconds});
  return Json{{"points", points}, {"measured", cached.measured}, {"disturbed", cached.disturbed}}.dump();
}

std::optional<CachedCopyTimes> cachedCopyTimesOf(std::string_view text, int64_t now) {
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
  if (times.points.empty()) return std::nullopt;
  return CachedCopyTimes{std::move(times), measured.get<int64_t>(), disturbedIn(json)};
}

}  // namespace opbench
