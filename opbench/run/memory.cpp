#include "opbench/run/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "inputs/operator_name.h"
#include "opbench/select/select.h"
#include "runtime/torch/errors.h"
#include "runtime/workloads/network/recurrent.h"

namespace opbench {
namespace {

constexpr std::string_view estimated = "needs about ";
constexpr double least = 256e6;      // bytes; asking a GPU costs about a millisecond
constexpr double mostOfFree = 0.95;  // all other allocations are small
constexpr double float64Bytes = 8;
constexpr double float64Comparisons = 3;  // copies of an output that comparing it takes

}  // namespace

double neededForArguments(const inputs::Sample& sample, const RaceSettings& options) {
  constexpr double copies = 4;                                           // as it is, as eager has it, and in float64
  if (inputs::kindOf(sample.op) == inputs::SampleKind::Model) return 0;  // the allocator says so where it is too much
  if (inputs::isNetwork(sample.op))
    return (options.accuracyChecking ? copies : 1) * runtime::stateBytes(runtime::recurrentOf(sample));
  double elements = 0;
  for (const ir::TensorType* type : inputs::tensorsOf(sample)) elements += static_cast<double>(type->storageElements());
  const auto bytes = static_cast<double>(inputs::argumentBytes(sample));
  return options.accuracyChecking ? bytes + float64Bytes * elements : bytes;
}

double neededForOutputs(const ir::Graph& graph, const RaceSettings& options) {
  double bytes = 0, mostElements = 0;
  for (const int output : graph.outputs) {
    if (std::find(graph.inputs.begin(), graph.inputs.end(), output) != graph.inputs.end()) continue;
    const ir::TensorType& type = graph.values[static_cast<size_t>(output)].type;
    const auto elements = static_cast<double>(type.storageElements());
    bytes += elements * static_cast<double>(ir::sizeOf(type.dtype));
    mostElements = std::max(mostElements, static_cast<double>(type.numel()));  // a view has many in little memory
  }
  bytes *= static_cast<double>(options.contenders.size());
  return options.accuracyChecking ? bytes + float64Comparisons * float64Bytes * mostElements : bytes;
}

void checkMemory(double bytes, runtime::Device& device) {
  if (bytes < least) return;
  const auto memory = device.memory();
  if (!memory || bytes <= mostOfFree * static_cast<double>(memory->free)) return;
  constexpr double gibibyte = 1 << 30;
  throw runtime::OutOfMemory(
      fmt::format("{}{:.1f} GiB, {:.1f} GiB free", estimated, bytes / gibibyte, static_cast<double>(memory->free) / gibibyte));
}

bool isEstimated(const Outcome& outcome) { return outcome.status == Status::Oom && outcome.reason.starts_with(estimated); }

}  // namespace opbench
