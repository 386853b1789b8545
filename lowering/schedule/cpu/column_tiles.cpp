#include "lowering/schedule/cpu/column_tiles.h"

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"

namespace lowering {

using ir::LoopKind;

CpuColumns::CpuColumns(const NestKernel& kernel, const ColumnTasks& how)
    : how(how),
      kernel_(kernel),
      domain_(kernel.domain()),
      dim_(domain_.elementDims() - 1),
      outer_(domain_.numel(0, dim_)),
      columns_(domain_.dims()[dim_].extent),
      elements_(domain_.numel(domain_.elementDims(), domain_.dims().size())),
      tiles_(ceilDiv(columns_, how.tile)),
      each_(how.splits == 1 ? elements_ : ceilDiv(elements_, how.splits)),
      task_(kernel.pool(), kernel.pool().axis(tasks())),
      tileAxis_(kernel.axis(how.takesAll ? outer_ * tiles_ : 1)) {}

Value CpuColumns::split() const {
  if (how.splits == 1) return kernel_.number(0);
  return how.takesAll ? task_ : mod(task_, how.splits);
}
Value CpuColumns::tile() const {
  if (how.takesAll) return tileAxis_;
  return how.splits == 1 ? task_ : floorDiv(task_, how.splits);
}
Value CpuColumns::tileAt(Value number) const {
  return tiles_ == 1 ? kernel_.number(0) : outer_ == 1 ? number : mod(number, tiles_);
}
Value CpuColumns::outerAt(Value number) const {
  return tiles_ == 1 ? number : outer_ == 1 ? kernel_.number(0) : floorDiv(number, tiles_);
}

ir::Block CpuColumns::forTiles(ir::Block body) const {
  return how.takesAll ? loop(LoopKind::Serial, tileAxis_, std::move(body)) : body;
}

ir::Block CpuColumns::forTile(Value number, const std::function<ir::Block(int64_t)>& body) const {
  const int64_t last = columns_ - (tiles_ - 1) * how.tile;
  if (last == how.tile) return body(how.tile);
  if (tiles_ == 1) return body(last);
  ir::Block block;
  block.push_back({ir::If{(tileAt(number) < tiles_ - 1).expr(), body(how.tile), body(last)}});
  return block;
}

LanePlace CpuColumns::place(Value tile, Value column, Value element) const {
  return place(tile, column, element, {kernel_.pool(), kernel_.pool().axis(how.lanes)});
}

LanePlace CpuColumns::place(Value tile, Value column, Value element, Value lane) const {
  LanePlace place;
  place.lane = lane.expr();
  place.dim = dim_;
  if (dim_ > 0) place.base = domain_.unflatten(outerAt(tile).expr(), 0, dim_);
  place.each = place.base;
  const Value start = tileAt(tile) * how.tile + column;
  place.base.push_back(start.expr());
  place.each.push_back((start + lane).expr());
  const Position elements = domain_.unflatten(element.expr(), domain_.elementDims(), domain_.dims().size());
  for (Position* position : {&place.base, &place.each}) position->insert(position->end(), elements.begin(), elements.end());
  return place;
}

ir::Block CpuColumns::vectors(int64_t columns, const UseColumn& use) const {
  ir::Block block;
  const int64_t whole = columns / how.lanes;
  if (whole > 0) {
    const Value vector = kernel_.axis(whole);
    const LoopKind kind = whole > limits::cpu::unrolledVectors ? LoopKind::Serial : LoopKind::Unrolled;
    append(block, loop(kind, vector, ir::Block{{use(vector * how.lanes)}}));
  }
  if (columns % how.lanes != 0) {
    ir::Lanes rest = use(kernel_.number(whole * how.lanes));
    rest.active = kernel_.number(columns % how.lanes).expr();
    block.push_back({std::move(rest)});
  }
  return block;
}

/// Whether so many elements are the task's; `coversSplit` where its split has every number that is asked for.
Condition CpuColumns::isMine(Value inSplit, int64_t count, bool coversSplit) const {
  const Value last = inSplit + (count - 1);
  const Condition ofSplit = coversSplit ? Condition() : last < each_;
  return both(ofSplit, within(split() * each_ + last, each_ * how.splits, elements_));
}

ir::Block CpuColumns::elements(int64_t columns, Value first, int64_t count, int atOnce, const Use& use) const {
  const auto some = [&](Value inSplit, int taken) {
    const Value element = split() * each_ + inSplit;
    return vectors(columns, [&](Value column) { return use(column, element, taken); });
  };
  const bool covers = each_ % count == 0;
  const auto single = [&](Value step, Value inSplit) {
    return loop(LoopKind::Serial, step, when(isMine(inSplit, 1, covers), some(inSplit, 1)));
  };
  const int64_t rounds = atOnce == 1 ? 0 : count / atOnce, rest = count - rounds * atOnce;
  ir::Block block;
  if (rounds > 0) {
    const Value round = kernel_.axis(rounds), inSplit = first + round * atOnce, one = kernel_.axis(atOnce);
    const Condition all = isMine(inSplit, atOnce, covers);
    ir::Block body = when(all, some(inSplit, atOnce));
    if (all) std::get<ir::If>(body.front().node).otherwise = single(one, inSplit + one);
    append(block, loop(LoopKind::Serial, round, std::move(body)));
  }
  if (rest > 0) {
    const Value step = kernel_.axis(rest);
    append(block, single(step, first + rounds * atOnce + step));
  }
  return block;
}

}  // namespace lowering
