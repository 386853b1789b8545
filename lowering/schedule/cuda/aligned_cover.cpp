#include "lowering/schedule/cuda/aligned_cover.h"

#include "lowering/heuristics/limits.h"

// A run of 10 elements a to j that starts 3 elements after a multiple of the vector's 4 lanes, so that its shift is 3:
//
//   memory        . . . a | b c d e | f g h i | j . . .
//   vector        0         1         2         3           of the cover
//   before()      3        -1        -5        -9           lanes before the run
//   end()        13         9         5         1           lanes before the run's end
//   isWhole()     no        yes       yes       no          before() <= 0 and end() >= 4
//   clamped()     a a a a | b c d e | f g h i | j j j j     what lanes read: outside the run its nearest element
//   insideOnly()        a | b c d e | f g h i | j           what lanes store

namespace lowering {

using ir::Expr;

namespace {

enum Dims : std::size_t { row, run, vector };

}  // namespace

AlignedCover::AlignedCover(const NestKernel& kernel, Placement& at)
    : kernel_(kernel), layout_(at.layout()), lanes_(layout_.lanes()) {
  for (const std::vector<Access>* accesses : {&kernel.domain().stores(), &kernel.domain().loads()})
    for (const Access& access : *accesses)
      if (isRowAccess(kernel.domain(), access)) first_ = &access;
  const bool takesAll = layout_.steps(vector) == 1 && layout_.splits(vector) == 1;
  if (takesAll && layout_.extent(run, Bind::Thread) > 1 && edgesAreRare()) setEdgesApart(at);
}

void AlignedCover::setEdgesApart(Placement& at) const {
  const int64_t columns = layout_.extent(vector, Bind::Thread), inner = columns - 2;
  const int64_t innerThreads = inner * layout_.extent(run, Bind::Thread);
  const Value thread = at.inGroup(), end = max(thread - innerThreads, 0);
  at.replace(vector, Bind::Thread, where(thread < innerThreads, mod(thread, inner) + 1, mod(end, 2) * (columns - 1)));
  at.replace(run, Bind::Thread, where(thread < innerThreads, floorDiv(thread, inner), floorDiv(end, 2)));
}

Value AlignedCover::shift(const Position& position) const {
  Value start = kernel_.number(first_->form->constant % lanes_);
  for (std::size_t d = 0; d < kernel_.domain().innermost(); ++d) {
    const int64_t stride = kernel_.domain().stride(*first_, d) % lanes_;
    if (stride != 0) start = start + Value{pool(), position[d]} * stride;
  }
  return mod(start, lanes_);
}

LanePlace AlignedCover::clamped(LanePlace place) const {
  const Value lane{pool(), place.each[place.dim]};
  place.each[place.dim] = min(max(lane - shift(place.base), 0), extent() - 1).expr();
  place.isScattered = true;
  return place;
}

Guard AlignedCover::begins(Value start, int64_t vectors, const Position& position) const {
  if ((vectors - 1) * lanes_ < kernel_.domain().inner().extent) return Guard::always();
  return start < shift(position) + extent();
}

bool AlignedCover::edgesAreRare() const {
  const bool everyWarpHasThem = layout_.dims[run].extent == 1 && layout_.group() <= ir::Target::warp;
  return layout_.dims[vector].extent >= limits::cover::longSegment && !everyWarpHasThem;
}

Value AlignedCover::before(const LanePlace& at) const { return shift(at.base) - Value{pool(), at.base.back()}; }

Value AlignedCover::isWhole(const LanePlace& at) const { return (before(at) <= 0) & (end(at) >= lanes_); }

const Expr* AlignedCover::offset(const Access& access, const LanePlace& at) const {
  // Written as multiples of the vector, by which the compiler sees that it is aligned; steps of whole vectors are left out of
  // the division, so that it is the same for all of a thread's runs.
  Value start = kernel_.number(access.form->constant), steps{pool(), at.base.back()};
  for (std::size_t d = 0; d < kernel_.domain().innermost(); ++d) {
    const int64_t stride = kernel_.domain().stride(access, d);
    Value& sum = stride % lanes_ == 0 ? steps : start;
    sum = sum + Value{pool(), at.base[d]} * stride;
  }
  return (floorDiv(start, lanes_) * lanes_ + steps).expr();
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
    const int result = kernel.addLocal("result", dtype, lanes_, ir::Space::Private, lanes_);
    values.stores.push_back({result, begin, store.value, true, {}});
    // Two lanes at once are worth their selection where every warp has ends; few warps of ends are done sooner lane by lane.
    store.value =
        edgesAreRare() ? pool().load(result, dtype, at.lane) : pool().load(result, dtype, begin, ir::LoadMode::Contiguous);
  }
  return values;
}

ir::Lanes AlignedCover::insideOnly(ir::Lanes lanes, const LanePlace& at) const {
  lanes.first = max(before(at), 0).expr();
  lanes.active = min(end(at), lanes_).expr();
  return lanes;
}

}  // namespace lowering
