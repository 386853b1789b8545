#include <algorithm>
#include <array>
#include <utility>

#include "opbench/check/fault.h"

namespace opbench {
namespace {

constexpr std::array<std::pair<Fault, std::string_view>, 6> names{{{Fault::UnwrittenTail, "unwritten-tail"},
                                                                   {Fault::OffByOne, "off-by-one"},
                                                                   {Fault::F16Accumulation, "f16-accumulation"},
                                                                   {Fault::StaleOutput, "stale-output"},
                                                                   {Fault::Zeros, "zeros"},
                                                                   {Fault::Slow, "slow"}}};

}  // namespace

std::string_view name(Fault fault) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == fault; })->second;
}

std::optional<Fault> faultFromName(std::string_view text) {
  for (const auto& [fault, spelling] : names)
    if (spelling == text) return fault;
  return std::nullopt;
}

std::vector<std::string> faultNames() {
  std::vector<std::string> all;
  for (const auto& entry : names) all.emplace_back(entry.second);
  return all;
}

}  // namespace opbench
