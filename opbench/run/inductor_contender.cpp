#include "opbench/run/inductor_contender.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "inputs/files.h"
#include "inputs/operator_name.h"
#include "ir/error.h"
#include "opbench/run/network.h"
#include "runtime/contenders/packaged.h"

namespace opbench {
namespace {

/// Inductor's settings by which random calls draw what eager's draw: ATen makes them, one after the other as eager does, in
/// memory that lies as eager's, since numbers are drawn in its order.
const std::vector<std::string> eagersDraws{"fallback_random=true", "layout_optimization=false", "comprehensive_padding=false",
                                           "reorder_for_peak_memory=false"};

runtime::CallablePtr loaded(const Inductor::Package& package, const runtime::TensorList& constants,
                            const SampleContext& context) {
  const TemporaryFile file(".pt2");
  inputs::writeFile(file.path(), package.bytes);
  return runtime::packagedCallable(context.workload, constants, context.bench.device.torchName(), file.path());
}

/// A network's callable, as torch.compile has it: results may lie anywhere, and random numbers are Inductor's own.
runtime::CallablePtr ofNetwork(const Inductor::Package& package, const std::shared_ptr<const runtime::Capture>& network,
                               const SampleContext& context) {
  runtime::CallablePtr callable = loaded(package, network->constants, context);
  callable->isDirect = context.bench.device.target().backend == ir::Backend::Cpu;
  callable->anyStrides = true;
  context.workload.describe(*callable);
  return callable;
}

}  // namespace

InductorSettings inductorSettingsOf(const RaceSettings& options, const std::string& torch, const std::vector<int>& processors) {
  constexpr double share = 0.7;  // of a sample's time: what is left is Python's start and the race
  return {options.python, torch, options.inductorSettings, share * options.timeout, processors};
}

InductorSettings inductorSettingsOfCalls(const RaceSettings& options, const std::string& torch) {
  constexpr double most = 60;
  InductorSettings settings = inductorSettingsOf(options, torch, {});
  settings.seconds = settings.seconds == 0 ? most : std::min(settings.seconds, most);
  return settings;
}

Inductor::Package compileNetwork(Inductor& inductor, const ir::Graph& graph, bool isChecked) {
  Inductor::Package package = inductor.compile(graph);
  if (graph.generator && isChecked) inductor.compile(graph, eagersDraws);
  return package;
}

runtime::CallablePtr inductorContender(Outcome& outcome, const SampleContext& context) {
  const Bench& bench = context.bench;
  const InductorCompilation* ahead =
      bench.compilation != nullptr && bench.compilation->inductor ? &*bench.compilation->inductor : nullptr;
  if (ahead != nullptr && !ahead->failure.empty()) ir::fail(ir::ErrorKind::Unsupported, "{}", ahead->failure);
  runtime::CallablePtr callable;
  Inductor::Package package;
  if (inputs::isNetwork(context.row.op)) {
    const auto network = std::make_shared<const runtime::Capture>(captured(context.workload));
    package = bench.inductor->compile(network->graph);
    callable = ofNetwork(package, network, context);
    if (network->graph.generator) {
      callable->withEagersDraws = [network, &context] {
        return ofNetwork(context.bench.inductor->compile(network->graph, eagersDraws), network, context);
      };
      callable->reason +=
          fmt::format("{}draws its own random numbers; checked with eager's", callable->reason.empty() ? "" : "; ");
    }
  } else {
    package = bench.inductor->compile(context.graph);
    callable = loaded(package, {}, context);
  }
  outcome.isPrecompiled = ahead != nullptr && package.cached;
  callable->compileMs = package.ms;
  callable->cached = outcome.isPrecompiled ? ahead->cached : package.cached;
  return callable;
}

}  // namespace opbench
