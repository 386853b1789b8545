#pragma once

#include <functional>
#include <vector>

#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/placement.h"

namespace lowering {

/// The exchange of threads that have vectors of neighbouring columns, where threads of one column are apart: partial results go
/// through warps by shuffles and across them through shared memory, where each of the first threads then has one column of the
/// tile.
class ColumnExchange {
 public:
  /// Of a layout with the dims [outer .., column, element], whose CTAs have one outer point each.
  ColumnExchange(NestKernel& kernel, const Placement& at);

  /// Adds what is exchanged to the kernel, whose accumulators have a lane for each column of a vector.
  void addLocals();
  /// Combines the accumulators of a traversal over all threads and CTAs of a tile; every thread of a column gets the result.
  ir::Block exchange(int traversal) const;
  /// The row stores of the tile, a thread a column.
  ir::Block rowStores() const { return rowStores(number()); }

  /// Where CTAs of the grid share the elements of tiles: leaves each one's results in global memory.
  ir::Block storePartialResults();
  /// The last CTA's epilogue, tile by tile: the threads of a column combine a few partial results each, and then with each other.
  ir::Block combinePartialResults() const;

 private:
  using Reductions = std::vector<std::size_t>;
  std::size_t column() const { return layout().laneDim; }
  std::size_t element() const { return layout().dims.size() - 1; }
  int64_t across() const { return layout().extent(column(), Bind::Thread); }
  int64_t block() const { return layout().extent(Bind::Thread); }
  int64_t tile() const { return across() * lanes(); }
  int64_t tiles() const { return layout().extent(column(), Bind::Grid); }
  int64_t gridSplits() const { return layout().extent(element(), Bind::Grid); }
  int64_t outerTiles() const { return layout().extent(Bind::Grid) / gridSplits(); }
  int64_t partials() const;
  const Layout& layout() const { return at_.layout(); }
  int lanes() const { return layout().lanes(); }
  /// The number of the CTA's tile, of all outer points.
  Value number() const;
  Value acrossThread() const { return across() == block() ? at_.thread() : mod(at_.thread(), across()); }
  Guard hasColumn() const { return within(at_.thread(), block(), tile()); }

  ir::Lanes copies(const Reductions& reductions, int lanes, const std::function<ir::Store(std::size_t, ir::DType)>& copy) const;
  ir::Statement clearTotals(const Reductions& reductions) const;
  const ir::Expr* read(int local, ir::DType dtype, Value offset) const;
  ir::Block writePartials(const Reductions& reductions) const;
  ir::Block combinePartials(const Reductions& reductions) const;
  ir::Block writeTotals(const Reductions& reductions) const;
  ir::Block readTotals(const Reductions& reductions) const;
  ir::Block rowStores(Value number) const;

  NestKernel& kernel_;
  const Placement& at_;
  const ReductionNest& nest_;
  std::vector<int> partials_, totals_, partialResults_;
};

}  // namespace lowering
