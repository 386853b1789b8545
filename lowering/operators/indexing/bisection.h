#pragma once

#include <functional>

#include "lowering/tensor/tensor.h"

namespace lowering {

/// The first place of a sequence of so many elements where a value may be put, by bisection as ATen does it: whatever is in
/// memory, NaN included, the same elements are compared. `isBefore` says whether the element at a place comes before the value.
Value bisected(ir::ExprPool& pool, int64_t count, const std::function<Value(Value place)>& isBefore);

/// How many elements of a sorted vector are not greater than a value.
Value countUpTo(const Tensor& sequence, Value value);

}  // namespace lowering
