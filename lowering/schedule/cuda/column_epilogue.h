#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"
#include "lowering/analysis/mixed_order.h"
#include "lowering/kernel/statements.h"

namespace lowering {

/// The epilogue of a mixed-order reduction, as loops of their own: the columns' results from the partial results of all CTAs.
/// What its elements are computed from was read once; where less is to be read of an element that was stored then, that is read.
class ColumnEpilogue {
 public:
  /// By reduction of columns: the arrays in which CTAs leave partial results, [CTA, column], or the sums that they add them to,
  /// which are cleared.
  ColumnEpilogue(const MixedOrderReduction& matrix, const std::vector<ir::Local>& partialResults);

  /// The columns' results, and the values that their elements need of them, as reductions of partial results, or from sums.
  const ir::Loops& results() const { return results_; }
  /// The columns' elements, which have no reductions left.
  const ir::Loops& elements() const { return elements_; }
  /// The buffers that the first loops write and the second ones read.
  const std::vector<std::string>& intermediates() const { return names_; }

 private:
  Value number(int64_t value) const { return {pool_, pool_.integer(ir::DType::I64, value)}; }
  ir::Loops begin(const std::vector<const ir::Expr*>& axes) const;
  void addPartial(const ir::Buffer& partial, const Reduction& reduction);
  void addSum(const ir::Buffer& sum, const Reduction& reduction);
  const ir::Expr* withSums(const ir::Expr* value) const;
  const ir::Expr* columnValue(const ir::Expr* node);
  int64_t bytesOfElement(const std::vector<const ir::Expr*>& values) const;
  const ir::Expr* withStored(const ir::Expr* value, const ir::StoreTo& known) const;
  void rereadStored();

  const MixedOrderReduction& matrix_;
  const ReductionNest& nest_;
  ir::ExprPool& pool_;
  Value column_;
  ir::Loops results_, elements_;
  LoadMap sums_, values_;
  std::vector<std::string> names_;
};

}  // namespace lowering
