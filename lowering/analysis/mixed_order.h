#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"

namespace lowering {

/// What loops read of a matrix: one of the loads of its domain.
struct MatrixInput {
  const Access* access = nullptr;
  bool isOfRow = false;   ///< whether it differs from row to row
  bool isVector = false;  ///< whether it runs along the columns; else all columns have the same
  bool isEarly = false;   ///< whether rows or sums of columns need it; else only the elements that need these sums do

  ir::DType dtype() const { return access->node->dtype; }
};

/// Loops that reduce a matrix along its rows, which memory runs along, loops that reduce it along its columns, or both: then
/// they read the matrix once. A layer norm's gradients are such: the input's needs sums of rows, the weight's of columns. Rows
/// may have several dims, such as images and pixels that no tensor has in one order, and columns, too.
struct MixedOrderReduction {
  ir::Loops loops;             ///< the buffers and the stores of both nests; no axes, as each nest has its own
  ReductionNest alongRows;     ///< keeps the rows: their reductions, if any, and what is stored without sums of columns
  ReductionNest alongColumns;  ///< keeps the columns: their reductions, if any, and the elements that need these
  IterationDomain domain;      ///< of both: dims of the row's number, and then of the column's
  int lanes = 1;               ///< columns of a vector

  int64_t rows() const { return domain.numel(0, domain.elementDims()); }
  int64_t columns() const { return domain.numel(domain.elementDims(), domain.dims().size()); }
  bool reducesColumns() const { return !alongColumns.reductions.empty(); }
  /// Bytes of all sums of one column.
  int64_t sumBytes() const;
  /// A load of the matrix, as an input.
  MatrixInput input(const Access& access) const;
  /// What is read, each once.
  std::vector<MatrixInput> inputs() const;
};

/// Whether two loads of one domain read the same at every point.
bool isSame(const Access& a, const Access& b);
/// Whether the reductions of columns are f32 sums, to which all CTAs can add.
bool canAdd(const MixedOrderReduction& matrix);

/// Loops, whose nest and domain these are, as a reduction of a matrix; nothing where they are none, or their vectors would not be
/// aligned.
std::optional<MixedOrderReduction> mixedOrderReductionOf(const ir::Loops& loops, const ReductionNest& nest,
                                                         const IterationDomain& domain, const ir::Target& target);
/// Two independent loops as reductions of one matrix along both of its axes; nothing where they are none.
std::optional<MixedOrderReduction> mixedOrderReductionOf(const std::pair<ir::Loops, ir::Loops>& both, const ir::Target& target);

}  // namespace lowering
