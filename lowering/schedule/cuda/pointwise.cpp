#include <algorithm>
#include <numeric>

#include "ir/value.h"
#include "ir/walk.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/vectorize.h"

namespace lowering {
namespace {

using ir::DType;
using ir::Expr;

/// Builds the body of a thread: vector `number` of the domain.
class VectorBody {
 public:
  VectorBody(const ir::Loops& loops, const IterationDomain& domain, const PointwiseSchedule& vectors, const Expr* number)
      : loops_(loops),
        domain_(domain),
        vectors_(vectors),
        number_(*loops.pool, number),
        lane_(*loops.pool, loops.pool->axis(vectors.lanes)) {}

  ir::Lanes build(int64_t active) const {
    const Expr* count = active == vectors_.lanes ? nullptr : loops_.pool->integer(DType::I64, active);
    return vectors_.isFlat ? flat(count) : rows(count);
  }

 private:
  /// Vectors inside rows: every access moves by its inner stride.
  ir::Lanes rows(const Expr* active) const {
    const std::size_t inner = domain_.dims().size() - 1;
    const int64_t rowVectors = (domain_.inner().extent + vectors_.lanes - 1) / vectors_.lanes;
    LanePlace place;
    place.dim = domain_.innermost();
    place.lane = lane_.expr();
    place.alignment = vectors_.lanes;
    place.base = inner == 0 ? Position{} : domain_.unflatten(floorDiv(number_, rowVectors).expr(), 0, inner);
    place.each = place.base;
    const Value start = (inner == 0 ? number_ : mod(number_, rowVectors)) * vectors_.lanes;
    place.base.push_back(start.expr());
    place.each.push_back((start + lane_).expr());
    return vectorize(loops_, domain_, place, active);
  }

  /// Vectors over the flat output, whose rows are no multiple of a vector. Where a vector covers at most two rows, both rows'
  /// places and values are computed once and each lane picks; otherwise each lane divides.
  ir::Lanes flat(const Expr* active) const {
    const std::size_t inner = domain_.dims().size() - 1;
    const int64_t extent = domain_.inner().extent;
    const Value start = number_ * vectors_.lanes;
    const Value element = start + lane_;
    LanePlace place;
    place.dim = domain_.innermost();
    place.lane = lane_.expr();
    place.alignment = vectors_.lanes;
    place.flat = start.expr();
    if (extent < vectors_.lanes) {
      place.each = domain_.unflatten(element.expr(), 0, inner + 1);
      return vectorize(loops_, domain_, place, active);
    }
    const Value row = floorDiv(start, extent), column = mod(start, extent);
    const int64_t lastRow = domain_.numel() / extent - 1;
    const Value nextRow = where(row < lastRow, row + 1, lastRow);
    // Rows end at multiples of what divides them and the lanes.
    const int64_t common = std::gcd(extent, int64_t{vectors_.lanes});
    const Value inFirst = column + floorDiv(lane_, common) * common < extent;
    const Position first = domain_.unflatten(row.expr(), 0, inner), second = domain_.unflatten(nextRow.expr(), 0, inner);
    for (std::size_t d = 0; d < inner; ++d) place.each.push_back(pick(inFirst, first[d], second[d]));
    place.each.push_back(where(inFirst, column + lane_, column + lane_ - extent).expr());
    return vectorize(loops_, domain_, place, active, rowValues(inFirst, first, second));
  }

  /// What does not change along a row: a value for each of the two rows, picked by lane.
  LoadMap rowValues(Value inFirst, Position first, Position second) const {
    const Expr* zero = loops_.pool->integer(DType::I64, 0);
    first.push_back(zero);
    second.push_back(zero);
    std::vector<const Expr*> roots;
    for (const ir::StoreTo& store : loops_.stores) roots.push_back(store.value);
    LoadMap values;
    for (const Expr* node : ir::postorder(roots)) {
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
  const Expr* at(const Expr* node, const Position& position) const {
    LoadMap loads;
    for (const Access& access : domain_.loads())
      loads[access.node] = loops_.pool->load(access.buffer, access.node->dtype, domain_.offset(access, position));
    return domain_.at(node, position, loads);
  }

  const Expr* pick(Value condition, const Expr* yes, const Expr* no) const {
    return yes == no ? yes : loops_.pool->make(ir::Op::Where, {condition.expr(), yes, no});
  }

  const ir::Loops& loops_;
  const IterationDomain& domain_;
  PointwiseSchedule vectors_;
  Value number_, lane_;
};

}  // namespace

ir::Kernel applyPointwise(const ir::Loops& loops, const IterationDomain& domain, const ir::Target& target,
                          const PointwiseSchedule& schedule) {
  const int64_t whole = domain.numel() / schedule.lanes;
  const int64_t left = domain.numel() % schedule.lanes;
  const int64_t vectors = whole + (left != 0 ? 1 : 0);
  const int64_t ctaVectors = int64_t{schedule.block} * schedule.steps;

  ir::Kernel kernel;
  kernel.name = loops.name;
  kernel.backend = ir::Backend::Cuda;
  kernel.pool = loops.pool;
  kernel.params = parameters(loops, target);
  kernel.launch.block = schedule.block;
  kernel.launch.grid = (vectors + ctaVectors - 1) / ctaVectors;
  kernel.relaxedMath = allowsRelaxedMath(loops);

  const Value turn{*loops.pool, loops.pool->axis(kernel.launch.grid)};
  const Value cta = schedule.isBackwards ? kernel.launch.grid - 1 - turn : turn;
  const Value thread{*loops.pool, loops.pool->axis(kernel.launch.block)};
  const Value zero{*loops.pool, loops.pool->integer(DType::I64, 0)};
  const Value step = schedule.steps == 1 ? zero : Value{*loops.pool, loops.pool->axis(schedule.steps)};
  const Value number = (cta * schedule.steps + step) * schedule.block + thread;
  const VectorBody body(loops, domain, schedule, number.expr());

  ir::Block block;
  if (left != 0) block.push_back({ir::If{(number == whole).expr(), {{body.build(left)}}, {}}});
  if (whole == kernel.launch.grid * ctaVectors) {
    block.push_back({body.build(schedule.lanes)});
  } else if (whole > 0) {
    block = {{ir::If{(number < whole).expr(), {{body.build(schedule.lanes)}}, std::move(block)}}};
  }
  block = loop(ir::LoopKind::Unrolled, step, std::move(block));
  kernel.body = {{ir::For{turn.expr(), ir::LoopKind::Grid, {{ir::For{thread.expr(), ir::LoopKind::Thread, std::move(block)}}}}}};
  return kernel;
}

}  // namespace lowering
