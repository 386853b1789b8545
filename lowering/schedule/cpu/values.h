#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lowering/analysis/reuse.h"
#include "lowering/layout/held.h"
#include "lowering/schedule/cpu/tasks.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {

/// A vector of a task's elements: where it is, the result that it belongs to, and its offsets in arrays of held elements and of
/// sums.
struct ElementVector {
  LanePlace at;
  Value slot, held, sums;
};

/// The local arrays of a task: results of its rows or columns, sums beside these, what rows have once, and what is held of their
/// elements. A *slot* is the number of a row's result, or of the first one in a vector of columns.
class TaskValues {
 public:
  TaskValues(NestKernel& kernel, const Tasks& tasks, const TaskSchedule& schedule);

  /// Adds the arrays to the kernel.
  void add();
  /// An array beside the results for each reduction, of so many elements.
  std::vector<int> addForReductions(const std::string& stem, int64_t elements, ir::Space space = ir::Space::Private);

  /// Results of a task, for each reduction.
  int64_t count() const { return tasks_.areColumns() ? tasks_.tile() : schedule_.rows; }
  std::vector<int> results() const;
  /// Sums that are added up to the results in the end: of lanes, where these are elements of one row, and of blocks.
  const std::vector<int>& sums() const { return sums_; }
  /// Rows: sums of the lanes of a block, which are added to the lanes' sums when it ends; without blocks these themselves.
  const std::vector<int>& blockSums() const { return blockSums_.empty() ? sums_ : blockSums_; }
  Value sumsOf(Value slot) const { return tasks_.areColumns() ? slot : slot * schedule_.unroll * tasks_.lanes(); }
  bool areHeld() const { return !held_.empty(); }

  /// Element `slot` of an array; of columns a vector.
  const ir::Expr* read(int local, ir::DType dtype, Value slot) const;
  /// What results are read as, and also what rows have once, and also what is held before a traversal.
  LoadMap known(Value slot) const;
  LoadMap knownOnce(Value slot) const;
  LoadMap known(const ElementVector& vector, int traversal) const;
  /// Copies of results for what reads them column by column, and what results and what rows have once are read as there.
  const std::vector<int>& byColumn() const { return byColumn_; }
  LoadMap knownOfColumn(Value column) const;

  /// Sets results, or sums, to what a combination starts from.
  ir::Block reset(const std::vector<std::size_t>& reductions) const;
  ir::Block resetSums(const std::vector<std::size_t>& reductions) const;
  ir::Block resetBlockSums(const std::vector<std::size_t>& reductions) const { return resetLanes(blockSums_, reductions); }
  /// Rows: adds the sums of a block to the lanes' sums.
  ir::Block addBlockSums(const std::vector<std::size_t>& reductions) const;
  /// Adds the sums to the results.
  ir::Block addUp(const std::vector<std::size_t>& reductions, int64_t columns) const;
  /// Computes what rows have once, before the first traversal that needs it.
  ir::Block hoist(int traversal, int64_t columns) const;
  /// Keeps what a traversal is the first to know of elements.
  std::vector<ir::Store> hold(int traversal, const ElementVector& vector, const LoadMap& loads) const;
  /// A statement of so many lanes with a store for each reduction.
  using StoreOf = std::function<ir::Store(std::size_t reduction)>;
  ir::Lanes forReductions(const std::vector<std::size_t>& reductions, int64_t lanes, const StoreOf& store) const;

 private:
  int64_t sumsEach() const { return tasks_.areColumns() ? 1 : schedule_.unroll * int64_t{tasks_.lanes()}; }
  const ir::Expr* identity(std::size_t i) const;
  ir::Block resetLanes(const std::vector<int>& locals, const std::vector<std::size_t>& reductions) const;
  ir::Block resetVectors(const std::vector<int>& locals, const std::vector<std::size_t>& reductions) const;

  NestKernel& kernel_;
  const Tasks& tasks_;
  const TaskSchedule schedule_;
  std::vector<int> sums_, blockSums_, byColumn_;
  std::vector<std::pair<HeldArray, int>> held_;
  std::vector<std::pair<TraversalValue, int>> hoisted_;
};

}  // namespace lowering
