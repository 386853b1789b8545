#pragma once

#include <optional>

#include "ir/expr.h"

namespace ir {

/// How an index runs through the lanes of a vector: lane l has `first + begin + step * l`.
struct LaneRun {
  const Expr* first = nullptr;  ///< the same for all lanes, a multiple of `multiple`
  int64_t begin = 0;            ///< from 0 to before that
  int64_t step = 1;             ///< positive
  int64_t multiple = 1;

  /// Elements from `first` on that so many lanes are among, a multiple of `multiple`.
  int64_t extent(int64_t lanes) const { return (begin + step * (lanes - 1)) / multiple * multiple + multiple; }
};

/// The run of an index through the lanes along `lane`. Nothing where the lanes are not equally far apart, or where it is not
/// known how far a multiple of `multiple` is below the first one.
std::optional<LaneRun> laneRun(ExprPool& pool, const Expr* index, const Expr* lane, int64_t multiple);

/// How far apart the indices of neighbouring lanes along `lane` are. Nothing where that is not one number.
std::optional<int64_t> laneStep(ExprPool& pool, const Expr* index, const Expr* lane);

}  // namespace ir
