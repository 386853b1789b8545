#include "opbench/settings/process_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "opbench/text/names.h"

namespace opbench {
namespace {

constexpr auto processFaultsByName = namesOfEnum<ProcessFault>({{ProcessFault::Segfault, "segfault"},
                                                                {ProcessFault::Abort, "abort"},
                                                                {ProcessFault::Assert, "assert"},
                                                                {ProcessFault::Hang, "hang"},
                                                                {ProcessFault::Flood, "flood"},
                                                                {ProcessFault::Babble, "babble"},
                                                                {ProcessFault::Undead, "undead"},
                                                                {ProcessFault::HugeAllocation, "huge-allocation"},
                                                                {ProcessFault::DeviceAssert, "device-assert"},
                                                                {ProcessFault::IllegalAddress, "illegal-address"},
                                                                {ProcessFault::DeviceHang, "device-hang"},
                                                                {ProcessFault::CompilerAbort, "compiler-abort"},
                                                                {ProcessFault::CompilerHang, "compiler-hang"}});

std::optional<PlannedProcessFault> planned(std::string_view text) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  PlannedProcessFault result;
  const std::string_view number = text.substr(at + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), result.index);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  const auto fault = processFaultsByName.from(text.substr(0, at));
  return fault ? std::optional(PlannedProcessFault{*fault, result.index}) : std::nullopt;
}

}  // namespace

std::string_view name(ProcessFault fault) { return processFaultsByName.of(fault); }

std::optional<std::vector<PlannedProcessFault>> processFaultsFromText(std::string_view text) {
  std::vector<PlannedProcessFault> faults;
  for (size_t from = 0; from <= text.size();) {
    const size_t to = std::min(text.find(',', from), text.size());
    const auto fault = planned(text.substr(from, to - from));
    if (!fault) return std::nullopt;
    faults.push_back(*fault);
    from = to + 1;
  }
  return faults;
}

std::string toText(const std::vector<PlannedProcessFault>& faults) {
  std::string text;
  for (const PlannedProcessFault& planned : faults)
    text += fmt::format("{}{}@{}", text.empty() ? "" : ",", name(planned.fault), planned.index);
  return text;
}

}  // namespace opbench
