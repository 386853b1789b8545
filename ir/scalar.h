#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "ir/expr.h"

namespace ir {

/// `value` rounded to the nearest one `dtype` holds, ties to even; overflow gives infinity (f8e4m3, which has none: NaN).
/// Integer dtypes and f64 leave it as it is.
double round(DType dtype, double value);
/// Whether round() leaves a finite value finite, and an infinite one infinite.
bool holds(DType dtype, double value);
/// `value` wrapped to an integer dtype's range (u64 by its bits); Bool is `value != 0`.
int64_t wrap(DType dtype, int64_t value);

/// The ends of an integer dtype's range (u64 by its bits).
int64_t lowest(DType dtype);
int64_t highest(DType dtype);

/// One element: int64_t for Bool and integer dtypes (u64 by its bits), double for floating ones.
using Scalar = std::variant<int64_t, double>;

/// `value`, of dtype `from`, as `to`: floating to integer truncates, saturating at 64 bits where C++ leaves it undefined.
Scalar convert(DType to, DType from, const Scalar& value);

/// The words that Philox computes from one counter.
constexpr int64_t philoxWords = 4;

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011): four random words for
/// each counter.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// The meaning of an operation other than Where and Cast on integers or Bools of one dtype; predicates give 0 or 1.
/// Integer division by zero is an Input error.
int64_t evaluate(Op op, DType dtype, std::span<const int64_t> operands);
/// The meaning of an operation other than Where, Cast and the predicates on floating values, before it is rounded.
double evaluate(Op op, std::span<const double> operands);
/// Two values of `dtype` combined by an operation that isReduction, before the result is rounded.
Scalar combine(Op op, DType dtype, const Scalar& a, const Scalar& b);
/// The meaning of a predicate on floating values.
bool test(Op op, std::span<const double> operands);

}  // namespace ir
