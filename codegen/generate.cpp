#include "codegen/generate.h"

#include <algorithm>

#include "codegen/cuda/emit.h"
#include "codegen/llvm/emit.h"
#include "ir/error.h"
#include "ir/verify/verify.h"
#include "lowering/fusion/cut_loops.h"
#include "lowering/fusion/fuse_loops.h"
#include "lowering/fusion/intermediates.h"
#include "lowering/fusion/share_tiles.h"
#include "lowering/fusion/split_axes.h"
#include "lowering/fusion/split_reduction.h"
#include "lowering/fusion/unroll_sums.h"
#include "lowering/heuristics/launches.h"
#include "lowering/kernel/insert_barriers.h"
#include "lowering/layout/check.h"
#include "lowering/schedule/launches.h"
#include "lowering/tensor/lowering.h"

namespace codegen {
namespace {

/// Whether the loops store nothing: every tensor they write is empty.
bool isIdle(const ir::Loops& loops) {
  return std::all_of(loops.stores.begin(), loops.stores.end(),
                     [&](const ir::StoreTo& store) { return loops.buffers.at(store.buffer).type.numel() == 0; });
}

/// The schedules of the rules, but where others are given.
std::vector<lowering::Schedule> schedulesOf(const lowering::LoopNests& nests, const ir::Target& target, const Given& given) {
  std::vector<lowering::Schedule> schedules = lowering::chooseSchedules(nests, target);
  const Schedules others = given(nests.all);
  bool areRules = true;
  for (std::size_t i = 0; i < std::min(schedules.size(), others.size()); ++i) {
    if (!others[i]) continue;
    schedules[i] = *others[i];
    areRules = false;
  }
  if (!areRules) lowering::check(schedules, nests, target);
  return schedules;
}

/// Parameters that begin behind the start of their storage are aligned to no more than that.
void alignParameters(std::vector<ir::Kernel>& kernels, const ir::Graph& graph) {
  for (ir::Kernel& kernel : kernels)
    for (ir::Param& param : kernel.params) {
      const auto value = static_cast<std::size_t>(param.buffer.value);
      if (value >= graph.values.size()) continue;
      const int64_t start = graph.values[value].offset * ir::sizeOf(graph.values[value].type.dtype);
      if (start != 0) param.alignment = static_cast<int>(std::min<int64_t>(param.alignment, start & -start));
    }
}

}  // namespace

lowering::LoopNests nestsOf(const ir::Graph& graph, const ir::Target& target, const LoopsEdit& edit) {
  std::vector<ir::Loops> lowered = lowering::lower(graph, target.backend, target.aten);
  if (edit) edit(lowered);
  std::vector<ir::Loops> loops = lowering::splitAxes(std::move(lowered));
  std::erase_if(loops, isIdle);
  loops = lowering::unrollSums(std::move(loops), target);
  std::vector<lowering::LoopNest> all = lowering::analyze(std::move(loops), target);
  all = lowering::fuseLoops(std::move(all), graph.values.size(), target);
  all = lowering::shareTiles(std::move(all), graph.values.size(), target);
  all = lowering::splitReductions(std::move(all), graph.values.size(), target);
  all = lowering::cutLoops(std::move(all), target);
  all = lowering::fusePieces(std::move(all), graph.values.size(), target);
  for (const lowering::LoopNest& nest : all) ir::verify(nest.loops);
  return lowering::analyzeJointly(std::move(all), target);
}

Plan generate(const ir::Graph& graph, const ir::Target& target, const Given& given, const LoopsEdit& edit) {
  lowering::LoopNests nests = nestsOf(graph, target, edit);
  const std::vector<lowering::Schedule> schedules = schedulesOf(nests, target, given);
  std::vector<ir::Kernel> kernels = lowering::applyAll(nests, target, schedules);
  alignParameters(kernels, graph);
  kernels = lowering::mergeLaunches(std::move(kernels), target);
  if (target.backend == ir::Backend::Cuda)
    std::transform(kernels.begin(), kernels.end(), kernels.begin(), lowering::insertBarriers);
  kernels = lowering::narrowIndices(std::move(kernels));
  for (const ir::Kernel& kernel : kernels) ir::verify(kernel, target);

  Plan plan;
  plan.graph = graph;
  plan.intermediates = lowering::intermediatesOf(graph, nests.all);
  for (const ir::Kernel& kernel : kernels) addLaunch(plan, programOf(kernel, target));
  plan.nests = std::move(nests.all);
  plan.schedules = {schedules.begin(), schedules.end()};
  plan.kernels = std::move(kernels);
  return plan;
}

std::string whyNot(const ir::Graph& graph, const std::function<void()>& step) {
  ir::verify(graph);
  for (const ir::Node& node : graph.nodes) {
    if (!lowering::hasLowering(node.op)) return "no lowering for " + node.op;
  }
  try {
    step();
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Unsupported) throw;
    return error.what();
  }
  return "";
}

ir::KernelSource programOf(const ir::Kernel& kernel, const ir::Target& target) {
  switch (target.backend) {
    case ir::Backend::Cuda: return emitCuda(kernel, target);
    case ir::Backend::Cpu: return emitLlvm(kernel, target);
  }
  ir::fail(ir::ErrorKind::Internal, "a target has no backend");
}

}  // namespace codegen
