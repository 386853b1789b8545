#include "lowering/schedule/cuda/column_exchange.h"

#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/layout/schedule.h"

namespace lowering {

using ir::Expr;
using ir::LoopKind;

ColumnExchange::ColumnExchange(NestKernel& kernel, const Placement& at) : kernel_(kernel), at_(at), nest_(kernel.nest()) {}

/// Warps, or rows of threads where a row is wider than a warp: each leaves one partial result a column.
int64_t ColumnExchange::partials() const { return across() < warp ? block() / warp : layout().extent(element(), Bind::Thread); }

Value ColumnExchange::number() const {
  if (outerTiles() == 1) return kernel_.number(0);
  return gridSplits() == 1 ? at_.grid() : floorDiv(at_.grid(), gridSplits());
}

void ColumnExchange::addLocals() {
  for (const Reduction& reduction : nest_.reductions) {
    const int64_t elements = std::max<int64_t>(partials() * tile(), gridSplits() > 1 ? block() : 0);
    partials_.push_back(kernel_.addLocal("partial", reduction.body->dtype, elements, ir::Space::Shared));
    totals_.push_back(kernel_.addLocal("total", reduction.body->dtype, 1, ir::Space::Private));
  }
}

ir::Block ColumnExchange::exchange(int traversal) const {
  const Reductions reductions = kernel_.reductionsOf(traversal);
  ir::Block block;
  if (across() < warp) {
    ir::Combine combine;
    combine.threads = static_cast<int>(warp / across());
    combine.stride = static_cast<int>(across());
    for (std::size_t i : reductions) combine.items.push_back({kernel_.accumulator(i), nest_.reductions[i].op});
    append(block, loop(LoopKind::Cluster, at_.rank(), {{std::move(combine)}}));
  }
  append(block, at_.onThreads(writePartials(reductions)));
  append(block, at_.onThreads(combinePartials(reductions)));
  if (const int64_t ctas = layout().extent(element(), Bind::Cluster); ctas > 1) {
    ir::Combine combine;
    combine.ctas = static_cast<int>(ctas);
    for (std::size_t i : reductions) combine.items.push_back({totals_[i], nest_.reductions[i].op});
    block.push_back({std::move(combine)});
  }
  if (traversal + 1 < nest_.traversals() || nest_.storingTraversal() > traversal) {
    append(block, at_.onThreads(writeTotals(reductions)));
    append(block, at_.onThreads(readTotals(reductions)));
  }
  return block;
}

ir::Lanes ColumnExchange::copies(const Reductions& reductions, int lanes,
                                 const std::function<ir::Store(std::size_t, ir::DType)>& copy) const {
  ir::Lanes all;
  all.axis = kernel_.pool().axis(lanes);
  for (std::size_t i : reductions) all.stores.push_back(copy(i, nest_.reductions[i].body->dtype));
  return all;
}

ir::Statement ColumnExchange::clearTotals(const Reductions& reductions) const {
  return {copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
    return ir::Store{totals_[i], kernel_.number(0).expr(), kernel_.pool().identity(nest_.reductions[i].op, dtype), true, {}};
  })};
}

const Expr* ColumnExchange::read(int local, ir::DType dtype, Value offset) const {
  return kernel_.vector(local, dtype, offset.expr());
}

ir::Block ColumnExchange::writePartials(const Reductions& reductions) const {
  const Value to = floorDiv(at_.thread(), std::max<int64_t>(warp, across())) * tile() + acrossThread() * lanes();
  ir::Block body{{copies(reductions, lanes(), [&](std::size_t i, ir::DType dtype) {
    return ir::Store{partials_[i], to.expr(), read(kernel_.accumulator(i), dtype, kernel_.number(0)), true, {}};
  })}};
  return when(across() < warp ? mod(at_.thread(), warp) < across() : Guard::always(), std::move(body));
}

ir::Block ColumnExchange::combinePartials(const Reductions& reductions) const {
  const Value partial = kernel_.axis(partials());
  ir::Block add{{copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
    const Value from = partial * tile() + at_.thread();
    return ir::Store{totals_[i], kernel_.number(0).expr(), read(partials_[i], dtype, from), true, nest_.reductions[i].op};
  })}};
  ir::Block body{clearTotals(reductions)};
  append(body, when(hasColumn(), loop(LoopKind::Unrolled, partial, std::move(add))));
  return body;
}

/// Totals go where the first partial results were, and from there to every thread over their columns.
ir::Block ColumnExchange::writeTotals(const Reductions& reductions) const {
  return when(hasColumn(), {{copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
                return ir::Store{partials_[i], at_.thread().expr(), read(totals_[i], dtype, kernel_.number(0)), true, {}};
              })}});
}

ir::Block ColumnExchange::readTotals(const Reductions& reductions) const {
  const Value from = acrossThread() * lanes();
  return {{copies(reductions, lanes(), [&](std::size_t i, ir::DType dtype) {
    return ir::Store{kernel_.accumulator(i), kernel_.number(0).expr(), read(partials_[i], dtype, from), true, {}};
  })}};
}

/// The results of one column, in `totals`.
ir::Block ColumnExchange::rowStores(Value number) const {
  if (nest_.rowStores.empty()) return {};
  const IterationDomain& domain = kernel_.domain();
  const bool isOneRow = outerTiles() == tiles();
  const Value start = (isOneRow ? number : mod(number, tiles())) * tile() + at_.thread();
  LanePlace at;
  const Value lane{kernel_.pool(), kernel_.pool().axis(1)};
  at.lane = lane.expr();
  at.dim = domain.elementDims() - 1;
  if (at.dim > 0) at.base = domain.unflatten((isOneRow ? kernel_.number(0) : floorDiv(number, tiles())).expr(), 0, at.dim);
  at.base.push_back(start.expr());
  at.base.resize(domain.dims().size(), kernel_.number(0).expr());
  at.each = at.base;
  at.each[at.dim] = (start + lane).expr();
  LoadMap results;
  for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
    const Expr* result = nest_.reductions[i].result;
    results[result] = read(totals_[i], result->dtype, kernel_.number(0));
  }
  ir::Lanes lanes = kernel_.lanes(at);
  lanes.stores = kernel_.rowStores(at, readLanes(kernel_.pool(), domain, at, std::move(results)));
  const int64_t columns = domain.dims()[at.dim].extent;
  Guard mine = hasColumn() & within(start, tiles() * tile(), columns);
  if (layout().extent(element(), Bind::Cluster) > 1) mine = Guard(at_.rank() == 0) & mine;
  return when(mine, {{std::move(lanes)}});
}

/// [tile, split, column of the tile].
ir::Block ColumnExchange::storePartialResults() {
  const int64_t elements = outerTiles() * gridSplits() * tile();
  for (const Reduction& reduction : nest_.reductions)
    partialResults_.push_back(kernel_.addLocal("partial_result", reduction.result->dtype, elements, ir::Space::Global));
  return when(hasColumn(), {{copies(kernel_.reductionsOf(0), 1, [&](std::size_t i, ir::DType dtype) {
                const Value to = at_.grid() * tile() + at_.thread();
                return ir::Store{partialResults_[i], to.expr(), read(totals_[i], dtype, kernel_.number(0)), true, {}};
              })}});
}

ir::Block ColumnExchange::combinePartialResults() const {
  const Value number = kernel_.axis(outerTiles());
  const int64_t width = tile(), depth = block() / width, count = ceilDiv(gridSplits(), depth);
  const Value ofTile = mod(at_.thread(), width), step = kernel_.axis(count);
  const Value split = step * depth + floorDiv(at_.thread(), width);
  const Reductions reductions = kernel_.reductionsOf(0);
  const auto total = [&](Value offset, const std::vector<int>& from) {
    return ir::Block{{copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{totals_[i], kernel_.number(0).expr(), read(from[i], dtype, offset), true, nest_.reductions[i].op};
    })}};
  };
  const Value from = (number * gridSplits() + split) * width + ofTile;
  ir::Block first{clearTotals(reductions)}, second{clearTotals(reductions)};
  append(first, loop(LoopKind::Unrolled, step, when(within(split, count * depth, gridSplits()), total(from, partialResults_))));
  first.push_back({copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
    return ir::Store{partials_[i], at_.thread().expr(), read(totals_[i], dtype, kernel_.number(0)), true, {}};
  })});
  const Value each = kernel_.axis(depth);
  append(second, when(hasColumn(), loop(LoopKind::Unrolled, each, total(each * width + at_.thread(), partials_))));
  append(second, rowStores(number));
  ir::Block body = at_.onThreads(std::move(first));
  append(body, at_.onThreads(std::move(second)));
  return loop(LoopKind::Serial, number, std::move(body));
}

}  // namespace lowering
