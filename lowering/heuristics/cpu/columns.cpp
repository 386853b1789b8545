#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/cpu/rules.h"
#include "lowering/heuristics/cpu/traffic.h"
#include "lowering/heuristics/limits.h"
#include "lowering/layout/alignment.h"
#include "lowering/layout/held.h"

namespace lowering {
namespace {

/// Whether a tile of so many columns is read from beyond the caches by every traversal: one in registers is then no gain, and
/// wider ones read longer segments of memory.
bool isLeftByCaches(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, int64_t tile,
                    const ir::Target& target) {
  int64_t bytes = 0, ofTile = 0;
  for (const ir::Buffer& buffer : loops.buffers) bytes += buffer.type.bytesTouched();
  for (const Access& load : domain.loads()) {
    if (runsAcross(domain, load)) return false;
    ofTile += load.elementBytes * tile * domain.numel(domain.elementDims(), domain.dims().size());
  }
  return bytes > target.cacheBytes && (nest.isReadOnce() || ofTile > target.cacheBytes);
}

/// Whether columns read at places of their own that memory names, which every element of a tile computes anew.
bool gathersColumns(const IterationDomain& domain) {
  const auto isGather = [&](const Access& load) { return domain.isIndirect(load, domain.elementDims() - 1); };
  return std::any_of(domain.loads().begin(), domain.loads().end(), isGather);
}

}  // namespace

/// Tiles whose sums stay in registers, or wide ones; splits of all tiles where that gives every thread enough to do, splits of
/// one where tiles are fewer than threads.
TaskSchedule chooseColumnTasks(const LoopNest& all, const ir::Target& target, std::optional<int64_t> splits) {
  const auto& [loops, reduction, domain, mixedOrder, transposition] = all;
  const ReductionNest& nest = *reduction;
  const std::size_t dim = domain.elementDims() - 1;
  const int64_t columns = domain.dims()[dim].extent, outer = domain.numel(0, dim);
  const int64_t elements = domain.numel(domain.elementDims(), domain.dims().size());
  TaskSchedule schedule;
  schedule.lanes = cpuLanes(loops, domain, dim, columns, target);
  schedule.storesAcross = canStoreAcross(nest, domain) && domain.inner().extent >= schedule.lanes / 2;

  const int64_t vectors = ceilDiv(columns, schedule.lanes);
  const int64_t most = std::min<int64_t>(target.processors, elements / limits::cpu::columnSplitElements);
  schedule.takesAll = splits || (nest.isReadOnce() && outer < target.processors && most == target.processors &&
                                 cpuPieces(loops, domain) >= target.processors);
  const int64_t wanted = schedule.takesAll || outer >= target.processors ? 1 : std::min<int64_t>(vectors, target.processors);
  const int64_t tileVectors = gathersColumns(domain) ? limits::cpu::gatherTileVectors : limits::cpu::tileVectors;
  const int64_t inRegisters = tileVectors / static_cast<int64_t>(std::min<std::size_t>(2, nest.reductions.size()));
  const bool isWide = !splits && !schedule.storesAcross && !gathersColumns(domain) &&
                      isLeftByCaches(loops, nest, domain, inRegisters * schedule.lanes, target);
  const int64_t widest = isWide ? limits::cpu::wideTileVectors : inRegisters;
  schedule.tile = ceilDiv(vectors, ceilDiv(ceilDiv(vectors, widest), wanted) * wanted);
  if (schedule.takesAll)
    schedule.splits = splits.value_or(target.processors);
  else if (nest.isReadOnce() && outer * ceilDiv(vectors, schedule.tile) < target.processors)
    schedule.splits = std::max<int64_t>(1, most);

  schedule.unroll = limits::cpu::unrolledVectors;
  if (schedule.tile > limits::cpu::tileVectors) schedule.atOnce = limits::cpu::wideTileElements;
  if (ceilDiv(elements, schedule.splits) > 2 * limits::cpu::columnBlock) schedule.block = limits::cpu::columnBlock;
  schedule.heldBytes = largestWithin(holdable(nest, domain, schedule), limits::cpu::heldTileBytes);
  if (schedule.splits == 1) schedule.grain = cpuGrain(loops, domain, schedule.tile * schedule.lanes * elements);
  return schedule;
}

}  // namespace lowering
