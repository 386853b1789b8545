#pragma once

#include <vector>

#include "ir/expr.h"
#include "ir/index/range.h"

namespace ir {

/// The range of an integer as a float.
FloatRange floatRangeOf(const Range& integer, DType dtype);
/// The range of a floating node by its operands' ranges (of comparisons and integers anything); all there is where nothing is
/// known.
FloatRange floatRangeOf(const Expr* node, const std::vector<FloatRange>& src);
/// The integers to which a float is rounded towards zero; all that 64 bits hold where it may be NaN or larger.
Range truncated(const FloatRange& range);

}  // namespace ir
