#include "opbench/measure/device/cached_ceilings.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace opbench {
namespace {

using Json = nlohmann::json;

/// Limits that no device exceeds, in bytes or operations a second, and in seconds.
constexpr double mostRate = 1e15, mostProductRate = 1e18, mostLaunchOverhead = 0.01;
constexpr double mostTime = 1e15;  // in seconds since 1970
constexpr double mostDisturbed = 1e6;

/// A number of an object that is more than 0 and at most `most`; nothing for anything else.
std::optional<double> positive(const Json& object, const char* name, double most) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  return value > 0 && value <= most ? std::optional(value) : std::nullopt;
}

}  // namespace

// Earlier versions kept whether it was disturbed at all.
int disturbedIn(const nlohmann::json& object) {
  const Json value = object.value("disturbed", Json());
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return static_cast<int>(positive(object, "disturbed", mostDisturbed).value_or(0));
}

bool isRecent(int64_t measured, int64_t now) {
  constexpr int64_t day = 24 * 3600;
  return measured > 0 && measured >= now - 30 * day && measured <= now + day;
}

bool isDue(int64_t measured, int disturbed, int64_t now) {
  constexpr int few = 3;
  constexpr int64_t pause = 600;
  if (disturbed == 0) return false;
  return disturbed < few || now >= measured + pause || now < measured;
}

std::string toText(const CachedCeilings& cached) {
  const Ceilings& c = cached.ceilings;
  return Json{{"copy", c.copy},
              {"read", c.read},
              {"flops", c.flops},
              {"launch_overhead", c.launchOverhead},
              {"measured", cached.measured},
              {"raised", cached.raised},
              {"disturbed", cached.disturbed}}
      .dump();
}

std::optional<CachedCeilings> cachedCeilingsOf(std::string_view text, int64_t now) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto copy = positive(json, "copy", mostRate), read = positive(json, "read", mostRate);
  const auto flops = positive(json, "flops", mostRate), launchOverhead = positive(json, "launch_overhead", mostLaunchOverhead);
  const auto measured = positive(json, "measured", mostTime);
  if (!copy || !read || !flops || !launchOverhead || !measured || !isRecent(static_cast<int64_t>(*measured), now))
    return std::nullopt;
  return CachedCeilings{{*copy, *read, *flops, *launchOverhead},
                        static_cast<int64_t>(*measured),
                        static_cast<int64_t>(positive(json, "raised", mostTime).value_or(0)),
                        disturbedIn(json)};
}

std::string toText(const CachedRate& cached) {
  return Json{{"rate", cached.rate}, {"measured", cached.measured}, {"disturbed", cached.disturbed}}.dump();
}

std::optional<CachedRate> cachedRateOf(std::string_view text, int64_t now) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto rate = positive(json, "rate", mostProductRate), measured = positive(json, "measured", mostTime);
  if (!rate || !measured || !isRecent(static_cast<int64_t>(*measured), now)) return std::nullopt;
  return CachedRate{*rate, static_cast<int64_t>(*measured), disturbedIn(json)};
}

std::string raisedText(const Ceilings& before, const Ceilings& after, int64_t when) {
  constexpr double giga = 1e9, micro = 1e-6;
  std::vector<std::string> rises;
  if (after.copy > before.copy) rises.push_back(fmt::format("copy {:.1f} to {:.1f} GB/s", before.copy / giga, after.copy / giga));
  if (after.read > before.read) rises.push_back(fmt::format("read {:.1f} to {:.1f} GB/s", before.read / giga, after.read / giga));
  if (after.flops > before.flops)
    rises.push_back(fmt::format("arithmetic {:.1f} to {:.1f} Gflop/s", before.flops / giga, after.flops / giga));
  if (after.launchOverhead < before.launchOverhead)
    rises.push_back(
        fmt::format("launch overhead {:.2f} to {:.2f} us", before.launchOverhead / micro, after.launchOverhead / micro));
  if (rises.empty()) return "";
  return fmt::format("{} at {:%Y-%m-%d %H:%M}", fmt::join(rises, ", "), fmt::localtime(static_cast<std::time_t>(when)));
}

double settledSeconds(const std::function<double()>& measure) {
  constexpr double agreement = 0.03;
  constexpr int most = 5;
  double last = measure(), least = last;
  for (int i = 1; i < most; ++i) {
    const double seconds = measure();
    least = std::min(least, seconds);
    if (std::abs(seconds - last) <= agreement * std::min(seconds, last)) break;
    last = seconds;
  }
  return least;
}

}  // namespace opbench
