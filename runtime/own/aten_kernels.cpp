#include "runtime/own/aten_kernels.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

namespace runtime {
namespace {

/// The registrations of each of ATen's operators, as the dispatcher prints them, a line each and sorted:
/// `CPU: registered at /pytorch/build/aten/src/ATen/RegisterCPU_1.cpp:4701 :: (Tensor _0, ...) -> Tensor _0 [ boxed unboxed ]`.
using Registrations = std::map<std::string, std::vector<std::string>>;

constexpr std::string_view at = ": registered at ", inactive = " (inactive)";

Registrations readRegistrations() {
  Registrations registrations;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    const auto handle = dispatcher.findOp(name);
    if (!handle || !name.name.starts_with("aten::")) continue;
    std::vector<std::string>& lines = registrations[toString(name)];
    std::istringstream state(handle->dumpState());
    for (std::string line; std::getline(state, line);) {
      // A kernel that another one replaces is still there.
      if (const size_t found = line.find(inactive); found != std::string::npos) line.erase(found, inactive.size());
      const bool computes = !line.starts_with("Meta");  // by these only types are told; Python registers them when it needs them
      if (computes && line.find(at) != std::string::npos) lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
  }
  return registrations;
}

/// Where a registration was made: `/pytorch/build/aten/src/ATen/RegisterCPU_1.cpp:4701`.
std::string placeOf(const std::string& line) {
  const size_t begin = line.find(at) + at.size();
  return line.substr(begin, line.find(' ', begin) - begin);
}

/// The folder that torch was built in. A library of torch's may be loaded late, by one that needs it.
std::string torchFolder() {
  const std::string schema = "build/aten/src/ATen/RegisterSchema.cpp";
  const auto handle = c10::Dispatcher::singleton().findSchema({"aten::empty", "memory_format"});
  const std::string place = handle ? placeOf("schema: " + handle->debug()) : "";
  return place.substr(0, std::min(place.find(schema), place.size()));
}

std::optional<Registrations>& kernelsBefore() {
  static std::optional<Registrations> registrations;
  return registrations;
}

}  // namespace

void rememberKernels() {
  if (!kernelsBefore()) kernelsBefore() = readRegistrations();
}

std::string foreignKernel() {
  if (!kernelsBefore()) return "";
  const std::string torch = torchFolder();
  for (const auto& [name, lines] : readRegistrations()) {
    std::vector<std::string> added;
    const std::vector<std::string>& before = (*kernelsBefore())[name];
    std::set_difference(lines.begin(), lines.end(), before.begin(), before.end(), std::back_inserter(added));
    for (const std::string& line : added)
      if (const std::string place = placeOf(line); torch.empty() || !place.starts_with(torch))
        return fmt::format("another kernel of {} is registered for {}, at {}", name, line.substr(0, line.find(at)), place);
  }
  return "";
}

}  // namespace runtime
