#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/analysis/reuse.h"
#include "lowering/heuristics/cpu/rules.h"
#include "lowering/heuristics/cpu/traffic.h"
#include "lowering/heuristics/limits.h"
#include "lowering/layout/alignment.h"
#include "lowering/layout/held.h"

namespace lowering {
namespace {

struct RowFacts {
  const ReductionNest& nest;
  const IterationDomain& domain;
  int64_t rows = domain.numel(0, domain.elementDims());
  int64_t runs = domain.numel(domain.elementDims(), domain.innermost());
  int64_t extent = domain.inner().extent;  ///< of a run
};

/// More than one where rows alone do not keep all threads busy.
int64_t chooseSplits(const RowFacts& facts, int lanes, const ir::Target& target) {
  if (!facts.nest.isReadOnce() || facts.rows >= target.processors) return 1;
  const int64_t parts = facts.runs > 1 ? facts.runs : facts.extent / lanes;
  const int64_t elements = facts.runs * facts.extent;
  return std::max<int64_t>(1, std::min({int64_t{target.processors}, parts, elements / limits::cpu::rowSplitElements}));
}

/// Several where runs are short and neighbouring rows' runs follow one another in memory, which is then read and written in
/// longer segments; as many as the cache keeps until they are traversed again.
int64_t chooseRows(const RowFacts& facts, const ir::Target& target) {
  const auto& [nest, domain, rows, runs, extent] = facts;
  if (runs == 1 || domain.elementDims() == 0) return 1;
  int64_t runBytes = 0, rowBytes = 0;
  for (const std::vector<Access>* accesses : {&domain.loads(), &domain.stores()})
    for (const Access& access : *accesses) {
      if (!domain.moves(access, domain.elementDims(), domain.dims().size())) continue;
      if (!domain.isInnerContiguous(access) || domain.stride(access, domain.elementDims() - 1) != extent) return 1;
      runBytes = std::max(runBytes, extent * access.elementBytes);
      rowBytes += runs * extent * access.elementBytes;
    }
  const int64_t perThread = ceilDiv(rows, limits::cpu::tasksPerThread * target.processors);
  const int64_t inCache = limits::cpu::segmentCache.of(target.cacheBytes) / rowBytes;
  const int64_t most = std::max<int64_t>(1, std::min({limits::cpu::segmentBytes / runBytes, inCache, perThread}));
  int64_t whole = most;  // that leaves no task with fewer rows
  while (rows % whole != 0) --whole;
  return 2 * whole > most ? whole : most;
}

/// Whether segments are so short that the masked vectors at their ends take long: vectors of one register take less.
bool areShort(const RowFacts& facts) { return facts.runs > 1 && facts.extent < limits::cpu::shortSegment; }

/// No more than there are whole vectors in what a traversal goes through at once. Vectors of one register are half as long.
int chooseAccumulators(const RowFacts& facts, const TaskSchedule& schedule) {
  const int64_t most = areShort(facts) ? 2 * limits::cpu::accumulators : limits::cpu::accumulators;
  const bool joins = schedule.splits == 1 && schedule.rows == 1;
  for (int traversal = 0; joins && traversal < facts.nest.traversals(); ++traversal)
    if (areRunsOne(facts.nest, facts.domain, traversal)) return static_cast<int>(most);
  return static_cast<int>(std::clamp<int64_t>(facts.extent / schedule.lanes, 1, most));
}

}  // namespace

TaskSchedule chooseRowTasks(const LoopNest& all, const ir::Target& target) {
  const auto& [loops, reduction, domain, mixedOrder, transposition] = all;
  const ReductionNest& nest = *reduction;
  const RowFacts facts{nest, domain};
  TaskSchedule schedule;
  schedule.lanes = cpuLanes(loops, domain, domain.innermost(), facts.extent, target);
  if (areShort(facts)) schedule.lanes = std::max(1, schedule.lanes / 2);
  schedule.splits = chooseSplits(facts, schedule.lanes, target);
  schedule.rows = schedule.splits == 1 ? chooseRows(facts, target) : 1;
  schedule.unroll = chooseAccumulators(facts, schedule);
  if (facts.extent >= limits::cpu::shortestBlockedRun && schedule.rows == 1 &&
      facts.runs * facts.extent > 2 * schedule.splits * limits::cpu::sumBlock)
    schedule.block = limits::cpu::sumBlock;
  schedule.heldBytes = largestWithin(holdable(nest, domain, schedule), limits::cpu::heldRowBytes);
  const ElementStores stores = ElementStores(domain.stores()).subspan(nest.rowStores.size());
  schedule.hasHead = wantsHead(domain, stores, facts.extent, schedule.lanes, target);
  if (schedule.splits == 1) schedule.grain = cpuGrain(loops, domain, domain.numel() / ceilDiv(facts.rows, schedule.rows));
  return schedule;
}

}  // namespace lowering
