#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lowering/analysis/iteration_domain.h"
#include "lowering/kernel/statements.h"
#include "lowering/layout/layout.h"
#include "lowering/schedule/vectorize.h"

namespace lowering {

/// A layout with a kernel's loop variables: where the thread at hand is.
class Placement {
 public:
  Placement(ir::ExprPool& pool, const IterationDomain& domain, Layout layout);

  const Layout& layout() const { return layout_; }
  /// The cluster, the CTA's rank in it, the thread, and its number in its group; 0 where there is only one.
  Value grid() const { return grid_; }
  Value rank() const { return rank_; }
  Value thread() const { return thread_; }
  Value inGroup() const { return inGroup_; }

  /// The number that all digits with a binding make; the number that a dim's make.
  Value digits(Bind bind) const;
  Value digits(std::size_t dim, Bind bind) const;
  /// The number of a thread's step along a dim.
  Value step(std::size_t dim) const;
  /// Whether an expression depends on a loop with a binding.
  bool dependsOn(const ir::Expr* expr, Bind bind) const;
  /// Puts another number in the place of a dim's only digit with a binding.
  void replace(std::size_t dim, Bind bind, Value by);
  /// The same place at another element along a dim.
  Placement at(std::size_t dim, Value element) const;
  /// The index along a dim, in vectors.
  Value index(std::size_t dim) const { return start(dim, 1); }
  /// The first element of its block, and the index inside of that.
  Value blockStart(std::size_t dim) const { return blockStart(dim, layout_.dims[dim].lanes); }
  Value inBlock(std::size_t dim) const;
  /// The number of its block.
  Value block(std::size_t dim) const;
  /// Whether it is one of the dim's, and of its block's.
  Guard isInside(std::size_t dim) const;
  /// Whether the thread is none of the last ones, which are idle, and none of the idle ones of its group.
  Guard hasGroup() const { return hasGroup_; }
  Guard isBusy() const { return isBusy_; }
  /// Where the index, or the first element of its vector, is in the dims of the domain.
  Position position(std::size_t dim) const;
  /// Whether a dim is one of rows' numbers; else it is one of their elements.
  bool isKept(std::size_t dim) const { return layout_.dims[dim].begin < domain_.elementDims(); }
  /// The vector at hand; with the lane at hand.
  LanePlace vector() const;
  LanePlace vector(Value lane) const;
  /// The first element of the row at hand, or of those rows that are the lanes of a vector.
  LanePlace row() const;

  /// `body` in a thread's loops with a binding; in those along a dim.
  ir::Block loops(Bind bind, ir::Block body) const;
  ir::Block loops(std::size_t dim, Bind bind, ir::Block body) const;
  /// `body` for the threads of all CTAs of a cluster.
  ir::Block onThreads(ir::Block body) const;
  /// The grid, the clusters and the CTAs that the layout asks for.
  ir::Launch launch() const;

 private:
  Value number(int64_t value) const { return {pool_, pool_.integer(ir::DType::I64, value)}; }
  Value axis(int64_t extent) const { return extent == 1 ? number(0) : Value{pool_, pool_.axis(extent)}; }
  /// The part of a dim that has a block.
  std::optional<std::size_t> blocks(std::size_t dim) const;
  /// The index along a dim times `lanes`; of its block.
  Value start(std::size_t dim, int lanes) const;
  Value blockStart(std::size_t dim, int lanes) const;
  /// The number that the digits make for which `counts`.
  template <typename Counts>
  Value numberOf(Counts counts) const;
  /// `body` in the loops of those parts.
  template <typename Counts>
  ir::Block loopsOf(Counts counts, ir::Block body) const;
  /// The position of the row at hand, at the element at hand or at its first one.
  Position positions(bool ofElements) const;
  LanePlace lanesAt(Position base, Value lane) const;
  void spread(Value number, const std::vector<std::size_t>& parts);
  void countOn(Value number, const std::vector<std::size_t>& parts);
  void spreadThreads(Value number, const std::vector<std::size_t>& parts);

  ir::ExprPool& pool_;
  const IterationDomain& domain_;
  Layout layout_;
  Value grid_, rank_, thread_, inGroup_;
  std::vector<Value> digits_;        ///< by part
  std::map<std::size_t, Value> at_;  ///< by dim: the element that stands for all of its digits
  Guard hasGroup_ = Guard::always(), isBusy_ = Guard::always();
};

}  // namespace lowering
