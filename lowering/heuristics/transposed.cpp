#include "lowering/heuristics/transposed.h"

#include <algorithm>
#include <bit>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"

namespace lowering {
namespace {

int64_t bitCeil(int64_t value) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(value))); }

/// `use` for every access of a domain.
template <typename Use>
void forAccesses(const IterationDomain& domain, Use use) {
  for (const std::vector<Access>* accesses : {&domain.loads(), &domain.stores()})
    for (const Access& access : *accesses) use(access);
}

/// Of what moves along the store's axis.
int64_t widestElement(const IterationDomain& domain) {
  int64_t widest = 1;
  forAccesses(domain, [&](const Access& access) {
    if (!domain.isUniform(access, domain.elementDims() - 1)) widest = std::max(widest, access.elementBytes);
  });
  return widest;
}

/// Bytes of the tensors that cross the store, each element once.
int64_t crossingBytes(const IterationDomain& domain) {
  int64_t bytes = 0;
  forAccesses(domain, [&](const Access& access) {
    if (!crosses(domain, access)) return;
    int64_t elements = 1;
    for (std::size_t d = 0; d < domain.dims().size(); ++d) elements *= domain.isUniform(access, d) ? 1 : domain.dims()[d].extent;
    bytes += access.elementBytes * elements;
  });
  return bytes;
}

/// Bytes of shared memory for an element of a tile.
int64_t tileBytes(const IterationDomain& domain) {
  int64_t bytes = 0;
  forAccesses(domain, [&](const Access& access) { bytes += crosses(domain, access) ? access.elementBytes : 0; });
  return bytes;
}

/// The widest vectors in which what runs along the store's axis is aligned.
int chooseLanes(const IterationDomain& domain, const ir::Target& target) {
  const std::size_t along = domain.elementDims() - 1;
  const auto fits = [&](int lanes) {
    if (domain.dims()[along].extent % lanes != 0) return false;
    return std::all_of(domain.stores().begin(), domain.stores().end(),
                       [&](const Access& store) { return crosses(domain, store) || domain.isAligned(store, lanes, along); });
  };
  int lanes = static_cast<int>(target.vectorBytes / widestElement(domain));
  while (lanes > 1 && !fits(lanes)) lanes /= 2;
  return std::max(lanes, 1);
}

}  // namespace

std::optional<TransposedSchedule> chooseTransposedSchedule(const Transposition& transposition, const ir::Target& target) {
  const IterationDomain& domain = transposition.domain;
  const int64_t along = domain.dims()[domain.elementDims() - 1].extent, across = domain.inner().extent;
  if (crossingBytes(domain) < limits::transposed::leastBytes) return std::nullopt;
  if (std::min(along, across) < limits::transposed::shortestAxis) return std::nullopt;

  TransposedSchedule schedule;
  schedule.lanes = chooseLanes(domain, target);
  // A square, or all of a short axis and more of the other one.
  const int64_t side = limits::transposed::tileSide, tile = side * side;
  schedule.along = std::min(bitCeil(along), side);
  schedule.across = std::min(bitCeil(across), side);
  if (schedule.along < side) schedule.across = std::min(bitCeil(across), tile / schedule.along);
  if (schedule.across < side) schedule.along = std::min(bitCeil(along), tile / schedule.across);
  schedule.along = std::clamp<int64_t>(schedule.along, schedule.lanes, int64_t{schedule.lanes} * limits::transposed::block);
  const bool isTile = std::min(along, schedule.along) * std::min(across, schedule.across) >= limits::transposed::leastElements;
  const int64_t sharedBytes = tileBytes(domain) * (schedule.along + schedule.lanes) * schedule.across;
  if (!isTile || sharedBytes > ofShared(target, limits::transposed::sharedBytes)) return std::nullopt;
  const bool isFew =
      ceilDiv(domain.numel(), schedule.along * schedule.across) < limits::transposed::fewestTiles * target.processors;
  const bool isNarrow = schedule.lanes * widestElement(domain) < limits::transposed::wordBytes && std::min(along, across) > side;
  if (isFew || isNarrow) schedule.across = std::max<int64_t>(1, schedule.across / 2);
  schedule.block = limits::transposed::block;
  while (schedule.threadsAlong() * schedule.across < schedule.block) schedule.block /= 2;
  schedule.block = std::max(schedule.block, ir::Target::warp);
  schedule.across = std::max<int64_t>(schedule.across, schedule.threadsAcross());
  return schedule;
}

}  // namespace lowering
