#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "opbench/sweep/workers/accident.h"

namespace opbench {
namespace {

constexpr std::array<std::pair<Accident, std::string_view>, 13> names{{{Accident::Segfault, "segfault"},
                                                                       {Accident::Abort, "abort"},
                                                                       {Accident::Assert, "assert"},
                                                                       {Accident::Hang, "hang"},
                                                                       {Accident::Flood, "flood"},
                                                                       {Accident::Babble, "babble"},
                                                                       {Accident::Undead, "undead"},
                                                                       {Accident::HugeAllocation, "huge-allocation"},
                                                                       {Accident::DeviceAssert, "device-assert"},
                                                                       {Accident::IllegalAddress, "illegal-address"},
                                                                       {Accident::DeviceHang, "device-hang"},
                                                                       {Accident::CompilerAbort, "compiler-abort"},
                                                                       {Accident::CompilerHang, "compiler-hang"}}};

std::optional<PlannedAccident> planned(std::string_view text) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  PlannedAccident result;
  const std::string_view number = text.substr(at + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), result.index);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  for (const auto& [accident, spelling] : names)
    if (spelling == text.substr(0, at)) return PlannedAccident{accident, result.index};
  return std::nullopt;
}

}  // namespace

std::string_view name(Accident accident) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == accident; })->second;
}

std::optional<std::vector<PlannedAccident>> accidentsFromText(std::string_view text) {
  std::vector<PlannedAccident> accidents;
  for (size_t from = 0; from <= text.size();) {
    const size_t to = std::min(text.find(',', from), text.size());
    const auto accident = planned(text.substr(from, to - from));
    if (!accident) return std::nullopt;
    accidents.push_back(*accident);
    from = to + 1;
  }
  return accidents;
}

std::string toText(const std::vector<PlannedAccident>& accidents) {
  std::string text;
  for (const PlannedAccident& planned : accidents)
    text += fmt::format("{}{}@{}", text.empty() ? "" : ",", name(planned.accident), planned.index);
  return text;
}

}  // namespace opbench
