#include "inputs/data/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace inputs {
namespace {

constexpr std::array<std::pair<Distribution, std::string_view>, 9> names{{{Distribution::Normal, "normal"},
                                                                          {Distribution::Uniform, "uniform"},
                                                                          {Distribution::SmallInt, "small-int"},
                                                                          {Distribution::Zeros, "zeros"},
                                                                          {Distribution::Positive, "positive"},
                                                                          {Distribution::Levels, "levels"},
                                                                          {Distribution::Far, "far"},
                                                                          {Distribution::Spread, "spread"},
                                                                          {Distribution::Specials, "specials"}}};

}  // namespace

std::string_view name(Distribution distribution) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == distribution; });
  return found->second;
}

std::optional<Distribution> distributionFromName(std::string_view text) {
  for (const auto& [distribution, spelling] : names)
    if (spelling == text) return distribution;
  return std::nullopt;
}

std::vector<std::string> distributionNames() {
  std::vector<std::string> all;
  for (const auto& entry : names) all.emplace_back(entry.second);
  return all;
}

std::string toText(const Data& data) {
  return data.scale == 1 ? std::string(name(data.distribution)) : fmt::format("{} x {:g}", name(data.distribution), data.scale);
}

std::optional<Data> dataFromText(std::string_view text) {
  constexpr std::string_view times = " x ";
  const size_t at = text.find(times);
  const auto distribution = distributionFromName(text.substr(0, at));
  if (!distribution) return std::nullopt;
  Data data{*distribution};
  if (at == std::string_view::npos) return data;
  const std::string_view scale = text.substr(at + times.size());
  const auto [end, error] = std::from_chars(scale.data(), scale.data() + scale.size(), data.scale);
  const bool isScale = error == std::errc() && end == scale.data() + scale.size() && data.scale > 0 && std::isfinite(data.scale);
  return isScale ? std::optional(data) : std::nullopt;
}

}  // namespace inputs
