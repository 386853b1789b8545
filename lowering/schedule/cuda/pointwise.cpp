// Loops without reductions: a vector a thread.
#include <algorithm>
#include <functional>
#include <numeric>

#include "ir/index/ceil_div.h"
#include "ir/index/simplify.h"
#include "ir/value.h"
#include "ir/walk.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/placement.h"
#include "lowering/schedule/vectorize.h"

namespace lowering {
namespace {

using ir::DType;
using ir::Expr;

/// Vectors that may run over the end of a row.
class FlatVectors {
 public:
  FlatVectors(const ir::Loops& loops, const IterationDomain& domain, const Layout& layout, Value number)
      : loops_(loops),
        domain_(domain),
        lanes_(layout.lanes()),
        hasBlocks_(layout.hasBlocks(0)),
        number_(number),
        lane_(*loops.pool, loops.pool->axis(lanes_)) {}

  /// Vectors over the flat output, whose rows are no multiple of a vector. Where a vector covers at most two rows, both rows'
  /// places and values are computed once and each lane picks; otherwise each lane divides.
  ir::Lanes build(const Expr* active) const {
    const std::size_t inner = domain_.dims().size() - 1;
    const int64_t extent = domain_.inner().extent;
    const Value start = number_ * lanes_;
    const Value element = start + lane_;
    LanePlace place;
    place.dim = domain_.innermost();
    place.lane = lane_.expr();
    place.alignment = lanes_;
    place.flat = start.expr();
    if (extent < lanes_) {
      place.each = domain_.unflatten(element.expr(), 0, inner + 1);
      return vectorize(loops_, domain_, place, active);
    }
    const Value row = simplified(floorDiv(start, extent)), column = simplified(mod(start, extent));
    const int64_t lastRow = domain_.numel() / extent - 1;
    const Value nextRow = where(row < lastRow, row + 1, lastRow);
    // Rows end at multiples of each common divisor of their extent and the lanes.
    const int64_t common = std::gcd(extent, int64_t{lanes_});
    const Value inFirst = column + floorDiv(lane_, common) * common < extent;
    const Position first = positionOf(row), second = positionOf(nextRow);
    for (std::size_t d = 0; d < inner; ++d) place.each.push_back(pick(inFirst, first[d], second[d]));
    place.each.push_back(where(inFirst, column + lane_, column + lane_ - extent).expr());
    return vectorize(loops_, domain_, place, active, rowValues(inFirst, first, second));
  }

 private:
  /// What does not change along a row: a value for each of the two rows, picked by lane.
  LoadMap rowValues(Value inFirst, Position first, Position second) const {
    const Expr* zero = loops_.pool->integer(DType::I64, 0);
    first.push_back(zero);
    second.push_back(zero);
    LoadMap values;
    for (const Expr* node : ir::postorder(ir::storedValues(loops_.stores))) {
      if (!isOfRow(node)) continue;
      const Expr *yes = at(node, first), *no = at(node, second);
      values[node] = pick(inFirst, yes, no);
    }
    return values;
  }
  /// Whether a value is made of loads, of which none moves along a row.
  bool isOfRow(const Expr* node) const {
    const std::vector<const Expr*> below = ir::postorder({node});
    const std::vector<const Expr*>& inner = domain_.inner().axes;
    return std::any_of(below.begin(), below.end(), [](const Expr* one) { return one->op == ir::Op::Load; }) &&
           std::none_of(inner.begin(), inner.end(), [&](const Expr* axis) { return ir::dependsOn(node, axis); });
  }
  /// Such that blocks differ in their outermost positions only.
  Value simplified(Value index) const {
    return hasBlocks_ ? Value{*loops_.pool, ir::simplify(*loops_.pool, index.expr())} : index;
  }
  Position positionOf(Value row) const {
    Position position = domain_.unflatten(row.expr(), 0, domain_.dims().size() - 1);
    for (const Expr*& one : position) one = simplified({*loops_.pool, one}).expr();
    return position;
  }
  const Expr* at(const Expr* node, const Position& position) const {
    LoadMap loads;
    for (const Access& access : domain_.loads())
      loads[access.node] = domain_.load(access, domain_.offset(access, position, loads), ir::LoadMode::PerLane, position, loads);
    return domain_.at(node, position, loads);
  }

  const Expr* pick(Value condition, const Expr* yes, const Expr* no) const {
    return yes == no ? yes : loops_.pool->make(ir::Op::Where, {condition.expr(), yes, no});
  }

  const ir::Loops& loops_;
  const IterationDomain& domain_;
  int lanes_;
  bool hasBlocks_;
  Value number_, lane_;
};

}  // namespace

ir::Kernel applyPointwise(const ir::Loops& loops, const ReductionNest& elements, const IterationDomain& domain,
                          const ir::Target& target, const LayoutSchedule& schedule) {
  NestKernel kernel(loops, elements, domain, target);
  Placement at(*loops.pool, domain, schedule.layout);
  const int lanes = schedule.layout.lanes();
  const Value turn = at.grid();
  if (schedule.isBackwards) at.replace(0, Bind::Grid, at.layout().extent(Bind::Grid) - 1 - turn);
  const Value number = at.index(0);
  const FlatVectors flat(loops, domain, at.layout(), number);

  // A statement for each of a thread's vectors: of all blocks, or of one, in which the last vector may have fewer `active`
  // elements.
  const auto withEach = [&](const std::function<ir::Lanes(const Expr* active)>& statement) {
    if (at.layout().hasBlocks(0)) return when(at.isInside(0), at.loops(Bind::Unrolled, {{statement(nullptr)}}));
    const int64_t whole = domain.numel() / lanes, left = domain.numel() % lanes;
    ir::Block block;
    if (left != 0) block.push_back({ir::If{(number == whole).expr(), {{statement(number.like(left).expr())}}, {}}});
    if (whole == at.layout().covered(0))
      block.push_back({statement(nullptr)});
    else if (whole > 0)
      block = {{ir::If{(number < whole).expr(), {{statement(nullptr)}}, std::move(block)}}};
    return at.loops(Bind::Unrolled, std::move(block));
  };

  ir::Block block;
  LoadMap held;
  if (schedule.readsAhead) {
    const LanePlace place = at.vector();
    const LoadMap memory = readLanes(*loops.pool, domain, place);
    std::vector<ir::Store> reads;
    for (const Access& access : domain.loads()) {
      const Value slot = at.digits(Bind::Unrolled) * lanes;
      const int local = kernel.addLocal(kernel.bufferName(access.buffer) + "_held", access.node->dtype,
                                        at.layout().extent(Bind::Unrolled) * lanes, ir::Space::Private, lanes);
      reads.push_back({local, slot.expr(), memory.at(access.node), true, {}});
      held[access.node] = kernel.vector(local, access.node->dtype, slot.expr());
    }
    block = withEach([&](const Expr* active) { return ir::Lanes{place.lane, active, reads}; });
  }
  append(block, withEach([&](const Expr* active) {
           ir::Lanes stores = schedule.isFlat ? flat.build(active) : vectorize(loops, domain, at.vector(), active, held);
           return schedule.isAtomic ? atomic(*loops.pool, std::move(stores), target) : stores;
         }));
  return kernel.assemble(at.launch(), gridLoop(turn, at.onThreads(std::move(block))));
}

}  // namespace lowering
