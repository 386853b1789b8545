#pragma once

#include <optional>
#include <vector>

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"

namespace lowering {

/// What loops read of a matrix: `buffer[constant + row * rowStride + column * columnStride]`.
struct MatrixInput {
  int buffer = 0;
  ir::DType dtype = ir::DType::F32;
  int64_t constant = 0, rowStride = 0, columnStride = 0;
  bool operator==(const MatrixInput&) const = default;
};

/// A nest over the points of a matrix, whose dims are one for the rows and one for the columns.
struct MatrixNest {
  ReductionNest nest;
  IterationDomain domain;
  std::size_t rowDim = 0;  ///< of the domain; the columns are the other one
  int64_t rows() const { return domain.dims()[rowDim].extent; }
  int64_t columns() const { return domain.dims()[1 - rowDim].extent; }
  MatrixInput input(const Access& access) const;
};

/// Loops that reduce a matrix along its rows, which memory runs along, loops that reduce it along its columns, or both: then
/// they read the matrix once. A layer norm's gradients are such: the input's needs sums of rows, the weight's of columns.
struct MixedOrderReduction {
  ir::Loops loops;  ///< the buffers and the stores of both; the axes are those of the nests
  std::optional<MatrixNest> alongRows, alongColumns;
  int lanes = 1;  ///< columns of a vector

  const MatrixNest& any() const { return alongRows ? *alongRows : *alongColumns; }
  int64_t rows() const { return any().rows(); }
  int64_t columns() const { return any().columns(); }
  /// Bytes of all sums of one column.
  int64_t sumBytes() const;
  /// What is read, each once; those of all columns alike have the column stride 0, the others 1.
  std::vector<MatrixInput> inputs() const;
};

/// Whether the reductions of columns are f32 sums, to which all CTAs can add.
bool canAdd(const MixedOrderReduction& matrix);

/// Loops, whose nest and domain these are, as a reduction of a matrix; nothing where they are none, or their vectors would not be
/// aligned.
std::optional<MixedOrderReduction> mixedOrderReductionOf(const ir::Loops& loops, const ReductionNest& nest,
                                                         const IterationDomain& domain, const ir::Target& target);
/// Two independent loops as reductions of one matrix along both of its axes; nothing where they are none.
std::optional<MixedOrderReduction> mixedOrderReductionOf(const std::pair<ir::Loops, ir::Loops>& both, const ir::Target& target);

}  // namespace lowering
