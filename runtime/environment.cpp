#include "runtime/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runtime {
namespace {

/// The difference of two readings of a counter; nothing where one is missing.
std::optional<double> grown(std::optional<double> begin, std::optional<double> end) {
  return begin && end ? std::optional(std::max(*end - *begin, 0.0)) : std::nullopt;
}

}  // namespace

std::string softwareText(const Environment& environment) {
  std::string text;
  for (const auto& [name, release] :
       {std::pair("torch", &environment.torch), std::pair("CUDA", &environment.cuda), std::pair("driver", &environment.driver),
        std::pair("NVRTC", &environment.nvrtc), std::pair("LLVM", &environment.llvm)})
    if (!release->empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, *release);
  return text;
}

GpuState between(const GpuState& begin, GpuState end) {
  end.powerCapSeconds = grown(begin.powerCapSeconds, end.powerCapSeconds);
  end.heatCapSeconds = grown(begin.heatCapSeconds, end.heatCapSeconds);
  if (begin.otherProcesses) end.otherProcesses = std::max(*begin.otherProcesses, end.otherProcesses.value_or(0));
  return end;
}

}  // namespace runtime
