#include <algorithm>
#include <limits>

#include "lowering/nest_kernel.h"
#include "lowering/schedule.h"
#include "lowering/value.h"
#include "lowering/vectorize.h"

namespace lowering {
namespace {

using ir::DType;
using ir::Expr;

bool fits32(const ir::Loops& loops, int64_t threads, int lanes) {
  int64_t largest = threads * lanes;
  for (const ir::Buffer& buffer : loops.buffers) largest = std::max(largest, buffer.type.storageElements());
  return largest < std::numeric_limits<int32_t>::max();
}

/// Builds the body of a thread: vector `number` of the domain.
class VectorBody {
 public:
  VectorBody(const ir::Loops& loops, const Domain& domain, const PointwiseTiling& vectors, const Expr* number)
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
    const auto rowVectors = static_cast<double>((domain_.inner().extent + vectors_.lanes - 1) / vectors_.lanes);
    LanePlace place;
    place.dim = domain_.innermost();
    place.lane = lane_.expr();
    place.alignment = vectors_.lanes;
    place.base = inner == 0 ? Position{} : domain_.unflatten(floorDiv(number_, rowVectors).expr(), 0, inner);
    place.each = place.base;
    const Value start = (inner == 0 ? number_ : mod(number_, rowVectors)) * static_cast<double>(vectors_.lanes);
    place.base.push_back(start.expr());
    place.each.push_back((start + lane_).expr());
    return vectorize(loops_, domain_, place, active);
  }

  /// Vectors over the flat output, whose rows are no multiple of a vector. Where a vector covers at most two rows, other
  /// accesses compute both rows' places once and each lane picks; otherwise each lane divides.
  ir::Lanes flat(const Expr* active) const {
    const std::size_t inner = domain_.dims().size() - 1;
    const auto extent = static_cast<double>(domain_.inner().extent);
    const Value start = number_ * static_cast<double>(vectors_.lanes);
    const Value element = start + lane_;
    LanePlace place;
    place.dim = domain_.innermost();
    place.lane = lane_.expr();
    place.alignment = vectors_.lanes;
    place.flat = start.expr();
    if (domain_.inner().extent < vectors_.lanes) {
      place.each = domain_.unflatten(element.expr(), 0, inner + 1);
      return vectorize(loops_, domain_, place, active);
    }
    const Value row = floorDiv(start, extent), column = mod(start, extent);
    const auto lastRow = static_cast<double>(domain_.numel() / domain_.inner().extent - 1);
    const Value nextRow = where(row < lastRow, row + 1.0, row.like(lastRow));
    const Value inFirst = column + lane_ < extent;
    const Position first = domain_.unflatten(row.expr(), 0, inner), second = domain_.unflatten(nextRow.expr(), 0, inner);
    for (std::size_t d = 0; d < inner; ++d) place.each.push_back(pick(inFirst, first[d], second[d]));
    place.each.push_back(where(inFirst, column + lane_, column + lane_ - extent).expr());
    return vectorize(loops_, domain_, place, active, uniformLoads(inFirst, first, second));
  }

  /// Reads that do not move along a row: one value a row, picked by lane.
  LoadMap uniformLoads(Value inFirst, Position first, Position second) const {
    const Expr* zero = loops_.pool->integer(DType::I64, 0);
    first.push_back(zero);
    second.push_back(zero);
    LoadMap loads;
    for (const Access& access : domain_.loads()) {
      if (!domain_.isInnerUniform(access) || domain_.isFlat(access, vectors_.lanes)) continue;
      const auto at = [&](const Position& position) {
        return loops_.pool->load(access.buffer, access.node->dtype, domain_.offset(access, position));
      };
      loads[access.node] = pick(inFirst, at(first), at(second));
    }
    return loads;
  }

  const Expr* pick(Value condition, const Expr* yes, const Expr* no) const {
    return yes == no ? yes : loops_.pool->make(ir::Op::Where, {condition.expr(), yes, no});
  }

  const ir::Loops& loops_;
  const Domain& domain_;
  PointwiseTiling vectors_;
  Value number_, lane_;
};

}  // namespace

ir::Kernel schedulePointwise(const ir::Loops& loops, const PointwiseTiling& tiling) {
  const Domain domain(loops);
  const int64_t whole = domain.numel() / tiling.lanes;
  const int64_t left = domain.numel() % tiling.lanes;
  const int64_t vectors = whole + (left != 0 ? 1 : 0);
  const int64_t ctaVectors = int64_t{tiling.block} * tiling.steps;

  ir::Kernel kernel;
  kernel.name = loops.name;
  kernel.backend = ir::Backend::Cuda;
  kernel.pool = loops.pool;
  kernel.params = parameters(loops, 16);
  kernel.launch.block = tiling.block;
  kernel.launch.grid = (vectors + ctaVectors - 1) / ctaVectors;
  kernel.index32 = fits32(loops, kernel.launch.grid * ctaVectors, tiling.lanes);
  kernel.relaxedMath = allowsRelaxedMath(loops);

  const Value cta{*loops.pool, loops.pool->axis(kernel.launch.grid)};
  const Value thread{*loops.pool, loops.pool->axis(kernel.launch.block)};
  const Value zero{*loops.pool, loops.pool->integer(DType::I64, 0)};
  const Value step = tiling.steps == 1 ? zero : Value{*loops.pool, loops.pool->axis(tiling.steps)};
  const Value number = (cta * double(tiling.steps) + step) * double(tiling.block) + thread;
  const VectorBody body(loops, domain, tiling, number.expr());

  ir::Block block;
  if (left != 0) block.push_back({ir::If{(number == static_cast<double>(whole)).expr(), {{body.build(left)}}, {}}});
  if (whole == kernel.launch.grid * ctaVectors) {
    block.push_back({body.build(tiling.lanes)});
  } else if (whole > 0) {
    block = {{ir::If{(number < static_cast<double>(whole)).expr(), {{body.build(tiling.lanes)}}, std::move(block)}}};
  }
  block = loop(ir::LoopKind::Unrolled, step, std::move(block));
  kernel.body = {{ir::For{cta.expr(), ir::LoopKind::Grid, {{ir::For{thread.expr(), ir::LoopKind::Thread, std::move(block)}}}}}};
  return kernel;
}

}  // namespace lowering
