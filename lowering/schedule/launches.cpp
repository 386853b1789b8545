#include "lowering/schedule/launches.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "ir/index/width.h"
#include "lowering/analysis/mixed_order_kernels.h"
#include "lowering/heuristics/limits.h"
#include "lowering/kernel/fuse_horizontally.h"
#include "lowering/kernel/insert_barriers.h"
#include "lowering/schedule/apply.h"

namespace lowering {
namespace {

DependenceGraph dependencesOf(const std::vector<ir::Kernel>& kernels) {
  std::vector<std::vector<ir::Buffer>> all;
  for (const ir::Kernel& kernel : kernels) {
    std::vector<ir::Buffer>& buffers = all.emplace_back();
    for (const ir::Param& param : kernel.params) buffers.push_back(param.buffer);
  }
  return DependenceGraph(all);
}

/// Whether a kernel has so many CTAs that its occupancy, which it loses in a common launch, matters more than a launch.
bool needsOccupancy(const ir::Launch& launch, const ir::Target& target) {
  const int64_t residentCtas = int64_t{launch.resident} * target.processors;
  return residentCtas > 0 && launch.grid * launch.cluster > residentCtas * limits::launches::sharedCtas;
}

/// Whether a CTA has enough shared memory for a kernel, and for what the generated code has of its own.
bool fitsSharedMemory(const ir::Kernel& kernel, const ir::Target& target) {
  constexpr int64_t own = 64;
  return sharedBytes(kernel) + own <= target.ctaSharedBytes;
}

/// Whether every thread has tasks of a CPU kernel that is given others' work too: kernels of split reductions are made for that.
bool givesWorkToAll(const ir::Kernel& kernel, const ir::Target& target) {
  return kernel.body.size() > 1 || kernel.launch.tasks >= limits::cpu::tasksPerThread * target.processors;
}

/// Two independent kernels in one launch.
std::optional<ir::Kernel> merge(const ir::Kernel& a, const ir::Kernel& b, const ir::Target& target) {
  if (a.backend == ir::Backend::Cpu) {
    for (const auto& [few, many] : {std::tie(a, b), std::tie(b, a)}) {
      std::optional<ir::Kernel> one = givesWorkToAll(few, target) ? inTasksOf(few, many) : std::nullopt;
      if (one) return one;
    }
    return fuseHorizontally(a, b);
  }
  if (needsOccupancy(a.launch, target) || needsOccupancy(b.launch, target)) return std::nullopt;
  // Clusters come first, and of two kernels without the smaller one: what takes longest to start starts first.
  const bool swaps = a.launch.cluster != b.launch.cluster ? a.launch.cluster < b.launch.cluster : a.launch.grid > b.launch.grid;
  std::optional<ir::Kernel> one = swaps ? fuseHorizontally(b, a) : fuseHorizontally(a, b);
  return one && fitsSharedMemory(*one, target) ? std::move(one) : std::nullopt;
}

}  // namespace

std::vector<ir::Kernel> applyAll(const LoopNests& nests, const ir::Target& target, const std::vector<Schedule>& schedules) {
  MixedOrderKernels mixed(nests);
  std::map<std::size_t, ir::Kernel> kernels;  // by the loops that start them
  for (const MixedOrderPair& pair : nests.mixedOrders) {
    const auto shared = mixed.canAdd(pair) ? commonSchedule(schedules[pair.first], schedules[pair.second]) : std::nullopt;
    if (!shared) continue;
    kernels[pair.first] = applyPersistent(pair.matrix, target, *shared);
    mixed.add(pair);
  }
  for (std::size_t i = 0; i < nests.all.size(); ++i)
    if (!mixed.isTaken(i)) kernels[i] = apply(nests.all[i], target, schedules[i]);
  std::vector<ir::Kernel> ordered;
  for (const std::size_t i : mixed.order()) ordered.push_back(std::move(kernels.at(i)));
  return ordered;
}

std::vector<ir::Kernel> mergeLaunches(std::vector<ir::Kernel> kernels, const ir::Target& target) {
  DependenceGraph graph = dependencesOf(kernels);
  const auto mergePair = [&] {
    const std::vector<std::size_t> order = graph.order();
    for (auto first = order.begin(); first != order.end(); ++first) {
      for (auto second = first + 1; second != order.end(); ++second) {
        if (!graph.areIndependent(*first, *second)) continue;
        std::optional<ir::Kernel> one = merge(kernels[*first], kernels[*second], target);
        if (!one) continue;
        kernels[*first] = *std::move(one);
        graph.merge(*first, *second);
        return true;
      }
    }
    return false;
  };
  while (mergePair()) {
  }
  std::vector<ir::Kernel> merged;
  for (const std::size_t kernel : graph.order()) merged.push_back(std::move(kernels[kernel]));
  return merged;
}

std::vector<ir::Kernel> narrowIndices(std::vector<ir::Kernel> kernels) {
  for (ir::Kernel& kernel : kernels) kernel.index32 = kernel.backend == ir::Backend::Cuda && !ir::findWideIndex(kernel);
  return kernels;
}

}  // namespace lowering
