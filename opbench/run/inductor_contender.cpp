#include "opbench/run/inductor_contender.h"

#include <algorithm>

#include "inputs/files.h"
#include "inputs/operator_name.h"
#include "ir/error.h"
#include "runtime/contenders/packaged.h"

namespace opbench {
namespace {

/// A network's run as one graph. Error: Unsupported for a training step that draws random numbers, as Inductor draws other
/// numbers than eager.
runtime::Capture captured(runtime::Workload& workload) {
  std::optional<runtime::Capture> capture = workload.capture(runtime::Audit::No);
  if (!capture) ir::fail(ir::ErrorKind::Unsupported, "{} has no graph", workload.op());
  if (capture->graph.generator && inputs::isTraining(workload.op()))
    ir::fail(ir::ErrorKind::Unsupported, "{} draws random numbers, which Inductor would draw in its own way", workload.op());
  return std::move(*capture);
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

runtime::CallablePtr inductorContender(Outcome& outcome, const SampleContext& context) {
  const Bench& bench = context.bench;
  const InductorCompilation* ahead =
      bench.compilation != nullptr && bench.compilation->inductor ? &*bench.compilation->inductor : nullptr;
  if (ahead != nullptr && !ahead->failure.empty()) ir::fail(ir::ErrorKind::Unsupported, "{}", ahead->failure);
  const bool isNetwork = inputs::isNetwork(context.row.op);
  const runtime::Capture network = isNetwork ? captured(context.workload) : runtime::Capture{};
  const ir::Graph& graph = isNetwork ? network.graph : context.graph;
  const Inductor::Package package = bench.inductor->compile(graph);
  const TemporaryFile file(".pt2");
  inputs::writeFile(file.path(), package.bytes);
  runtime::CallablePtr callable =
      runtime::packagedCallable(context.workload, graph, network.constants, bench.device.torchName(), file.path());
  callable->isDirect = callable->anyStrides = isNetwork;  // as torch.compile has them
  outcome.isPrecompiled = ahead != nullptr && package.cached;
  callable->compileMs = package.ms;
  callable->cached = outcome.isPrecompiled ? ahead->cached : package.cached;
  return callable;
}

}  // namespace opbench
