#include "lowering/heuristics/columns.h"
#include "ir/index/ceil_div.h"

#include <algorithm>
#include <bit>

#include "lowering/heuristics/limits.h"

namespace lowering {
namespace {

/// Accesses that run along the columns and take part in the volume.
std::vector<const Access*> columnAccesses(const IterationDomain& domain) {
  std::vector<const Access*> found;
  const std::size_t columns = domain.elementDims() - 1;
  for (const Access& access : domain.loads()) {
    const bool isElement = domain.moves(access, domain.elementDims(), domain.dims().size());
    if (isElement && domain.isContiguous(access, columns)) found.push_back(&access);
  }
  return found;
}

int chooseLanes(const IterationDomain& domain, const std::vector<const Access*>& accesses, const ir::Target& target) {
  if (accesses.empty()) return 1;
  const std::size_t columns = domain.elementDims() - 1;
  int64_t widest = 1;
  for (const Access* access : accesses) widest = std::max(widest, access->elementBytes);
  int lanes = static_cast<int>(target.vectorBytes / widest);
  const auto fits = [&](const Access* access) { return domain.isAligned(*access, lanes, columns); };
  while (lanes > 1 && (domain.dims()[columns].extent % lanes != 0 || !std::all_of(accesses.begin(), accesses.end(), fits)))
    lanes /= 2;
  return lanes;
}

}  // namespace

ColumnSchedule chooseColumnSchedule(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target) {
  const std::vector<const Access*> accesses = columnAccesses(domain);
  ColumnSchedule schedule;
  schedule.lanes = chooseLanes(domain, accesses, target);
  schedule.outer = domain.numel(0, domain.elementDims() - 1);
  schedule.columns = domain.dims()[domain.elementDims() - 1].extent;
  schedule.elements = domain.numel(domain.elementDims(), domain.dims().size());
  int64_t bytes = 0;
  for (const Access* access : accesses) bytes += domain.numel() * access->elementBytes;
  const int64_t elementBytes = accesses.empty() ? 4 : accesses.front()->elementBytes;

  const int64_t vectors = ceilDiv(schedule.columns, schedule.lanes);
  const bool isWide = schedule.outer * vectors >= limits::columns::directVectors * target.processors;
  if (schedule.elements <= limits::columns::directElements || isWide) {
    const int64_t all = schedule.outer * vectors;
    schedule.across = static_cast<int>(std::clamp<int64_t>(std::bit_ceil(static_cast<uint64_t>(all / target.processors)),
                                                           ir::Target::warp, limits::gpu::usualBlock));
    return schedule;
  }
  const int64_t line = std::max<int64_t>(1, limits::columns::tileBytes / (elementBytes * schedule.lanes));
  const bool isNarrow = schedule.lanes * elementBytes < target.vectorBytes;
  const bool fills = schedule.outer * ceilDiv(vectors, limits::columns::wideTile) >= target.processors;
  const int64_t wanted = isNarrow && fills ? std::max<int64_t>(line, limits::columns::wideTile) : line;
  schedule.across = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(std::min(vectors, wanted))));
  const bool isOneTraversal = nest.traversals() == 1 && nest.elementStores.empty();
  const bool areMany = schedule.outer * schedule.tiles() >= limits::columns::manyTiles * target.processors;
  const bool isSmall = bytes < limits::columns::smallBytes || (!isOneTraversal && areMany);
  const int block = isSmall ? limits::columns::smallBlock : limits::columns::block;
  schedule.down = block / schedule.across;
  // Of a large tensor each thread has several elements of its columns.
  const int64_t fewest = bytes < limits::columns::smallBytes ? schedule.elements * 2 : schedule.elements;
  while (schedule.down > schedule.lanes && schedule.block() > limits::columns::fewestThreads && schedule.down >= fewest)
    schedule.down /= 2;
  // Clusters do not fit on the last few multiprocessors. A small tensor is read soonest by about half of them, whose clusters
  // then have less to exchange.
  const bool isFew = bytes < limits::columns::quickBytes;
  const int64_t enough = (isFew ? limits::columns::quickFilling : limits::columns::filledDevice).of(target.processors);
  const auto wantsMore = [&] {
    return schedule.outer * schedule.tiles() * schedule.ctas < enough &&
           schedule.elements > int64_t{2} * schedule.down * schedule.ctas;
  };
  while (schedule.ctas < target.clusterCtas && wantsMore()) schedule.ctas *= 2;
  const bool isQuick = isOneTraversal && bytes < limits::columns::smallBytes;
  const int64_t narrowest = !isQuick   ? limits::columns::narrowestTileBytes
                            : isNarrow ? limits::columns::tileBytes / 2
                                       : limits::columns::tileBytes;
  while (wantsMore() && schedule.across * schedule.lanes * elementBytes > narrowest) {
    schedule.across /= 2;
    schedule.down *= 2;
  }
  if (isOneTraversal && !isQuick && wantsMore()) {
    const int64_t fills = int64_t{limits::columns::splitCtas} * target.processors / (schedule.outer * schedule.tiles());
    const int64_t fits = limits::columns::partialBytes / (4 * schedule.outer * schedule.tiles() * schedule.tile());
    const int64_t has = schedule.elements / (limits::columns::splitElements * schedule.down);
    const int64_t gridSplits = std::min({fills, fits, has});
    if (gridSplits > schedule.ctas) {
      schedule.gridSplits = static_cast<int>(gridSplits);
      schedule.ctas = 1;
    }
  }
  return schedule;
}

}  // namespace lowering
