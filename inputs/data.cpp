#include "inputs/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace inputs {
namespace {

constexpr std::array<std::pair<Distribution, std::string_view>, 6> names{{{Distribution::Normal, "normal"},
                                                                          {Distribution::Uniform, "uniform"},
                                                                          {Distribution::SmallInt, "small-int"},
                                                                          {Distribution::Zeros, "zeros"},
                                                                          {Distribution::Positive, "positive"},
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

}  // namespace inputs
