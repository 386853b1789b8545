#include "lowering/schedule/vectorize.h"

#include <algorithm>

#include "ir/walk.h"
#include "lowering/analysis/lane_mask.h"

namespace lowering {
namespace {

using ir::Expr;

bool isContiguous(const IterationDomain& domain, const Access& access, const LanePlace& place) {
  if (place.isScattered) return false;
  if (place.flat != nullptr) return domain.isFlat(access, place.alignment);
  return domain.isContiguous(access, place.dim) && domain.isAligned(access, place.alignment, place.dim);
}

const Expr* offsetOf(ir::ExprPool& pool, const IterationDomain& domain, const Access& access, const LanePlace& place,
                     bool contiguous, const LoadMap& loads) {
  if (!contiguous) return domain.offset(access, place.each, loads);
  if (place.flat == nullptr) return domain.offset(access, place.base, loads);
  return pool.make(ir::Op::Add, {place.flat, pool.integer(ir::DType::I64, access.form->constant)});
}

/// Whether a vector that is read under a mask is read as a whole or not at all.
bool isMaskedAsOne(ir::ExprPool& pool, const IterationDomain& domain, const Access& access, const LanePlace& place,
                   const LoadMap& loads) {
  if (!access.isMasked() || place.flat != nullptr) return false;
  const Expr* mask = domain.at(access.node->src[1], place.each, loads);
  const Expr* other = domain.at(access.node->src[2], place.each, loads);
  return isMaskedAlike(pool, mask, other, place.lane, place.lane->axis().extent);
}

}  // namespace

LoadMap readLanes(ir::ExprPool& pool, const IterationDomain& domain, const LanePlace& place, LoadMap bindings) {
  for (const Access& access : domain.loads()) {
    if (bindings.contains(access.node)) continue;
    const bool contiguous = isContiguous(domain, access, place);
    const Expr* offset = offsetOf(pool, domain, access, place, contiguous, bindings);
    const auto mode = contiguous ? ir::LoadMode::Contiguous : ir::LoadMode::PerLane;
    const bool isWhole = contiguous && isMaskedAsOne(pool, domain, access, place, bindings);
    bindings[access.node] = domain.load(access, offset, mode, isWhole ? place.base : place.each, bindings);
  }
  return bindings;
}

ir::Store storeLanes(ir::ExprPool& pool, const IterationDomain& domain, const Access& store, const LanePlace& place,
                     const Expr* value, const LoadMap& loads) {
  const bool contiguous = isContiguous(domain, store, place);
  return {store.buffer, offsetOf(pool, domain, store, place, contiguous, loads), value, contiguous, store.accumulate};
}

ir::Lanes atomic(ir::ExprPool& pool, ir::Lanes lanes, const ir::Target& target) {
  for (ir::Store& store : lanes.stores) {
    if (!store.accumulate) continue;
    store.isAtomic = true;
    const bool isSum = store.accumulate == ir::Op::Add && store.value->dtype == ir::DType::F32;
    if (!store.contiguous || (isSum && target.atomicBytes() > ir::sizeOf(ir::DType::F32))) continue;
    store.offset = pool.make(ir::Op::Add, {store.offset, lanes.axis});
    store.contiguous = false;
  }
  return lanes;
}

ir::Lanes vectorize(const ir::Loops& loops, const IterationDomain& domain, const LanePlace& place, const Expr* active,
                    LoadMap bindings) {
  const LoadMap loads = readLanes(*loops.pool, domain, place, std::move(bindings));
  ir::Lanes lanes;
  lanes.axis = place.lane;
  lanes.active = active;
  for (std::size_t i = 0; i < loops.stores.size(); ++i) {
    const Expr* value = domain.at(loops.stores[i].value, place.each, loads);
    lanes.stores.push_back(storeLanes(*loops.pool, domain, domain.stores()[i], place, value, loads));
  }
  return lanes;
}

std::vector<ir::Param> parameters(const ir::Loops& loops, const ir::Target& target) {
  std::vector<ir::Param> params;
  for (const ir::Buffer& buffer : loops.buffers) params.push_back({buffer, target.parameterBytes()});
  return params;
}

bool allowsRelaxedMath(const ir::Loops& loops) {
  return std::all_of(loops.stores.begin(), loops.stores.end(),
                     [](const ir::StoreTo& store) { return ir::isLowPrecision(store.value->dtype); });
}

}  // namespace lowering
