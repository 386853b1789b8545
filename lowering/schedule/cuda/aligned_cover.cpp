#include "lowering/schedule/cuda/aligned_cover.h"
#include "lowering/heuristics/limits.h"

namespace lowering {

using ir::Expr;

AlignedCover::AlignedCover(const NestKernel& kernel, const RowSchedule& schedule) : kernel_(kernel), schedule_(schedule) {
  for (const std::vector<Access>* accesses : {&kernel.domain().stores(), &kernel.domain().loads()})
    for (const Access& access : *accesses)
      if (isRowAccess(kernel.domain(), access)) first_ = &access;
}

Value AlignedCover::shift(const Position& position) const {
  const int lanes = schedule_.lanes;
  Value start = kernel_.number(first_->form->constant % lanes);
  for (std::size_t d = 0; d < kernel_.domain().innermost(); ++d) {
    const int64_t stride = kernel_.domain().stride(*first_, d) % lanes;
    if (stride != 0) start = start + Value{pool(), position[d]} * stride;
  }
  return mod(start, lanes);
}

Value AlignedCover::clamped(Value lane, const Position& position) const {
  return min(max(lane - shift(position), 0), extent() - 1);
}

Condition AlignedCover::begins(Value start, int64_t vectors, const Position& position) const {
  if ((vectors - 1) * schedule_.lanes < kernel_.domain().inner().extent) return std::nullopt;
  return start < shift(position) + extent();
}

bool AlignedCover::edgesAreRare() const {
  const bool everyWarpHasThem = !schedule_.hasRuns() && schedule_.group <= ir::Target::warp;
  return schedule_.runVectors >= limits::cover::longSegment && !everyWarpHasThem;
}

bool AlignedCover::edgesAreApart() const {
  const bool hasAll = schedule_.vectorSteps == 1 && schedule_.alongRun == 1;
  return schedule_.hasCover && hasAll && schedule_.runsAtOnce > 1 && edgesAreRare();
}

Value AlignedCover::column(Value thread) const {
  if (schedule_.runsAtOnce == 1) return thread;
  if (!edgesAreApart()) return mod(thread, schedule_.columns);
  const Value atEnd = mod(endThread(thread), 2) * (schedule_.columns - 1);
  return where(thread < innerThreads(), mod(thread, innerColumns()) + 1, atEnd);
}

Value AlignedCover::run(Value thread) const {
  if (!edgesAreApart()) return floorDiv(thread, schedule_.columns);
  return where(thread < innerThreads(), floorDiv(thread, innerColumns()), floorDiv(endThread(thread), 2));
}

Value AlignedCover::before(const LanePlace& at) const { return shift(at.base) - Value{pool(), at.base.back()}; }

Value AlignedCover::isWhole(const LanePlace& at) const { return (before(at) <= 0) & (end(at) >= schedule_.lanes); }

const Expr* AlignedCover::offset(const Access& access, const LanePlace& at) const {
  // Written as multiples of the vector, by which the compiler sees that it is aligned; steps of whole vectors are left out of
  // the division, so that it is the same for all of a thread's runs.
  const int lanes = schedule_.lanes;
  Value start = kernel_.number(access.form->constant), steps{pool(), at.base.back()};
  for (std::size_t d = 0; d < kernel_.domain().innermost(); ++d) {
    const int64_t stride = kernel_.domain().stride(access, d);
    Value& sum = stride % schedule_.lanes == 0 ? steps : start;
    sum = sum + Value{pool(), at.base[d]} * stride;
  }
  return (floorDiv(start, lanes) * lanes + steps).expr();
}

ir::Lanes AlignedCover::inside(ir::Lanes lanes, const LanePlace& at) const {
  const Value lane{pool(), at.lane};
  const Value isInside = (before(at) <= lane) & (lane < end(at));
  for (ir::Store& store : lanes.stores) {
    const Value value{pool(), store.value};
    const Value left{pool(), pool().identity(*store.accumulate, value.dtype())};
    store.value = where(isInside, value, left).expr();
  }
  return lanes;
}

void AlignedCover::align(ir::Lanes& lanes, const LanePlace& at) const {
  const std::vector<Access>& accesses = kernel_.domain().stores();
  for (std::size_t i = 0; i < lanes.stores.size(); ++i) {
    const Access& access = accesses[kernel_.nest().rowStores.size() + i];
    if (!isRowAccess(kernel_.domain(), access)) continue;
    lanes.stores[i].contiguous = true;
    lanes.stores[i].offset = offset(access, at);
  }
}

ir::Lanes AlignedCover::computedFirst(ir::Lanes& lanes, const LanePlace& at, NestKernel& kernel) const {
  ir::Lanes values = kernel.lanes(at);
  const Expr* begin = kernel.number(0).expr();
  for (ir::Store& store : lanes.stores) {
    if (!store.contiguous) continue;
    const ir::DType dtype = store.value->dtype;
    const int result = kernel.addLocal("result", dtype, schedule_.lanes, ir::Space::Private, schedule_.lanes);
    values.stores.push_back({result, begin, store.value, true, {}});
    // Two lanes at once are worth their selection where every warp has ends; few warps of ends are done sooner lane by lane.
    store.value =
        edgesAreRare() ? pool().load(result, dtype, at.lane) : pool().load(result, dtype, begin, ir::LoadMode::Contiguous);
  }
  return values;
}

ir::Lanes AlignedCover::insideOnly(ir::Lanes lanes, const LanePlace& at) const {
  lanes.first = max(before(at), 0).expr();
  lanes.active = min(end(at), schedule_.lanes).expr();
  return lanes;
}

}  // namespace lowering
