#include "opbench/run/network.h"

#include <fmt/format.h>

#include <chrono>

#include "codegen/compile_network.h"
#include "inputs/operator_name.h"
#include "inputs/region.h"
#include "ir/error.h"
#include "lowering/partition/data_flow.h"
#include "opbench/check/correctness_check.h"
#include "opbench/check/faults/fault.h"
#include "opbench/check/faults/network_faults.h"
#include "opbench/check/group_check.h"
#include "opbench/measure/device/ceilings.h"
#include "opbench/run/outcome.h"
#include "opbench/run/regions.h"
#include "runtime/capture/recording.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/flops/flop_count.h"

namespace opbench {
namespace {

std::string noteOn(const codegen::Plan& plan, double seconds) {
  const auto kernels = static_cast<size_t>(plan.launches());
  return fmt::format("{} calls: {} kernels, {} library calls, {} distinct groups, compiled in {:.1f} s", plan.graph.nodes.size(),
                     kernels, plan.steps.size() - kernels, plan.groups.size(), seconds);
}

/// Whether kernels would miss the precision that ATen has: on a CPU it sums a batch norm's statistics and their gradients in
/// double, which counts where norms follow one another. In evaluation there are no such sums.
bool isMorePreciseInAten(const ir::Node& node, const ir::Target& target) {
  if (target.backend != ir::Backend::Cpu || node.op.find("native_batch_norm") == std::string::npos) return false;
  const bool* isTraining = node.find<bool>("training");
  return isTraining == nullptr || *isTraining;
}

/// Error: Unsupported where a graph writes one of the inputs behind its operands, which nobody would restore before a run.
void refuseOthersState(const ir::Graph& graph, int operands) {
  const lowering::DataFlow flow(graph);
  for (const ir::Node& node : graph.nodes)
    for (const int value : node.writes)
      for (size_t i = static_cast<size_t>(operands); i < graph.inputs.size(); ++i)
        if (flow.memoryOf(value) == flow.memoryOf(graph.inputs[i]))
          ir::fail(ir::ErrorKind::Unsupported, "{} writes {}, which is no operand", node.op,
                   graph.values[static_cast<size_t>(graph.inputs[i])].name);
}

Criterion criterionOfNetwork(const inputs::Sample& sample, const Bench& bench) {
  NetworkRun run{bench.options.dtype, false, bench.device.target().backend != ir::Backend::Cpu, bench.options.cosine};
  for (const ir::NamedArgument& keyword : sample.kwargs) {
    const auto* word = keyword.value.as<std::string>();
    if (word == nullptr) continue;
    if (keyword.name == "amp") run.isAutocast = true;
    if (keyword.name == "dtype") run.dtype = ir::dtypeFromTorchName(*word).value_or(run.dtype);
  }
  return bench.tolerances.criterionFor(sample.op, run);
}

}  // namespace

Criterion criterionOf(runtime::Workload& workload, const inputs::Sample& sample, const Bench& bench) {
  Criterion criterion =
      inputs::isNetwork(sample.op) ? criterionOfNetwork(sample, bench) : criterionOf(workload, sample.op, bench.tolerances);
  criterion.anyStrides = bench.anyStrides;
  return criterion;
}

runtime::Capture captured(runtime::Workload& workload) {
  std::optional<runtime::Capture> capture = workload.capture(runtime::Audit::No);
  if (!capture) ir::fail(ir::ErrorKind::Unsupported, "{} has no graph", workload.op());
  return std::move(*capture);
}

NetworkPlan& planOf(const SampleContext& context) {
  if (context.network != nullptr) return *context.network;
  const runtime::Capture capture = captured(context.workload);
  const int constants = capture.constants ? capture.constants.size() : 0;
  refuseOthersState(capture.graph, static_cast<int>(capture.graph.inputs.size()) - constants);
  auto made = std::make_unique<NetworkPlan>();
  made->constants = capture.constants;
  const ir::Target& target = context.bench.device.target();
  const auto mayGenerate = [&](const ir::Node& node) { return !isMorePreciseInAten(node, target); };
  made->plan =
      codegen::compileNetwork(capture.graph, target, {runtime::drawsNumbers, mayGenerate, context.bench.options.without});
  if (const auto fault = context.bench.options.fault; fault && !isOfNetworks(*fault) && !breakPlan(made->plan, *fault, target))
    ir::fail(ir::ErrorKind::Unsupported, "{} has no place for the fault {}", context.workload.op(), name(*fault));
  context.network = std::move(made);
  return *context.network;
}

std::string whichGroupIsWrong(const inputs::Sample& sample, const SampleContext& context) {
  const NetworkPlan& network = planOf(context);
  const auto wrong = findWrongGroup(context.workload, network.plan, network.constants, context.bench.device, context.bench.cache,
                                    context.bench.tolerances);
  if (!wrong) return "";
  const ir::Graph graph = regionOf(network.plan.groups[static_cast<size_t>(wrong->group)]);
  inputs::Sample region = inputs::regionSample(graph, regionName(graph));
  region.count = wrong->times;
  context.dump.wrongGroup(regionText(region, sample));
  return wrong->message;
}

runtime::CallablePtr plannedNetwork(const SampleContext& context) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  NetworkPlan& network = planOf(context);
  runtime::Device& device = context.bench.device;
  runtime::CallablePtr callable =
      runtime::networkCallable(context.workload, network.plan, network.constants, device, context.bench.cache);
  if (network.note.empty()) {
    network.note = noteOn(network.plan, std::chrono::duration<double>(Clock::now() - start).count());
    context.dump.plan(network.plan);
    context.dump.assembly(network.plan, device);
  }
  callable->isDirect = device.target().backend == ir::Backend::Cpu;
  context.workload.describe(*callable);
  callable->reason = network.note + (callable->reason.empty() ? "" : "; " + callable->reason);
  return callable;
}

void countProducts(runtime::Workload& workload, Row& row, const Bench& bench) {
  if (!workload.reference()) return;
  attempt({}, "", [&] {
    for (const auto& [precision, flops] : runtime::countFlops([&] { workload.runEager(); }))
      row.products.push_back({precision, flops});
    if (!bench.options.timing) return;
    for (Products& each : row.products) each.peak = productRate(each.precision, bench.device, bench.cache);
  });
}

void traceMemory(runtime::Workload& workload, Row& row, const Bench& bench) {
  attempt({}, "", [&] {
    const std::unique_ptr<runtime::MemoryWatch> watch = bench.device.watchMemory();
    row.memoryTrace = workload.traceMemory(*watch);
  });
}

}  // namespace opbench
