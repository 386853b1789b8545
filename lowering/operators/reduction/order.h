#pragma once

#include "lowering/tensor/lowering.h"

namespace lowering {

// The order of elements: NaN is greater than every number.
Value comesBefore(const Value& a, const Value& b);
Value isEqual(const Value& a, const Value& b);

}  // namespace lowering
