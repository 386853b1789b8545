#include "codegen/compile.h"

#include <algorithm>

#include "codegen/cuda/emit.h"
#include "codegen/llvm/emit.h"
#include "ir/error.h"
#include "ir/verify/verify.h"
#include "lowering/fusion/fuse_loops.h"
#include "lowering/fusion/split_reduction.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"

namespace runtime {
namespace {

codegen::Program emit(const ir::Kernel& kernel, const ir::Target& target) {
  switch (target.backend) {
    case ir::Backend::Cuda: return codegen::emitCuda(kernel, target);
    case ir::Backend::Cpu: return codegen::emitLlvm(kernel, target);
  }
  ir::fail(ir::ErrorKind::Internal, "a target has no backend");
}

/// Whether the loops store anything: not where every tensor they write is empty.
bool hasWork(const ir::Loops& loops) {
  return std::any_of(loops.stores.begin(), loops.stores.end(),
                     [&](const ir::StoreTo& store) { return loops.buffers.at(store.buffer).type.numel() > 0; });
}

Plan generatedPlan(const ir::Graph& graph, const ir::Target& target, const Tilings& tilings) {
  Plan plan;
  plan.graph = graph;
  plan.loops = lowering::divided(lowering::fused(lowering::lower(graph), target), graph.values.size(), target);
  std::erase_if(plan.loops, [](const ir::Loops& loops) { return !hasWork(loops); });
  for (const ir::Loops& loops : plan.loops) ir::verify(loops);
  plan.between = lowering::between(graph, plan.loops);
  std::vector<lowering::Tiling> chosen = lowering::chooseTilings(plan.loops, target);
  for (std::size_t i = 0; i < std::min(chosen.size(), tilings.size()); ++i)
    if (tilings[i]) chosen[i] = *tilings[i];
  plan.tilings.assign(chosen.begin(), chosen.end());
  plan.kernels = lowering::scheduleAll(plan.loops, target, chosen);
  for (const ir::Kernel& kernel : plan.kernels) {
    ir::verify(kernel, target);
    plan.steps.emplace_back(launchStep(kernel, target));
  }
  return plan;
}

Plan externPlan(const ir::Graph& graph, const std::string& reason) {
  Plan plan;
  plan.graph = graph;
  plan.externReason = reason;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) plan.steps.emplace_back(ExternStep{static_cast<int>(i)});
  return plan;
}

}  // namespace

LaunchStep launchStep(const ir::Kernel& kernel, const ir::Target& target) {
  LaunchStep step{emit(kernel, target), {}};
  for (const ir::Param& param : kernel.params) {
    ir::require(param.buffer.value >= 0, "parameter {} of {} stands for no value", param.buffer.name, kernel.name);
    step.values.push_back(param.buffer.value);
  }
  return step;
}

Plan makePlan(const ir::Graph& graph, const ir::Target& target, const Tilings& tilings) {
  ir::verify(graph);
  for (const ir::Node& node : graph.nodes) {
    if (!lowering::hasLowering(node.op)) return externPlan(graph, "no lowering for " + node.op);
  }
  try {
    return generatedPlan(graph, target, tilings);
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Unsupported) throw;
    return externPlan(graph, error.what());
  }
}

}  // namespace runtime
