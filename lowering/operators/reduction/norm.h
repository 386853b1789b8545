#pragma once

#include "lowering/tensor/reduce.h"

namespace lowering {

/// The norm of this order of elements in opmath: 0 counts the elements that are not 0, infinite orders give the extremes of
/// magnitudes.
Tensor vectorNorm(Context& c, const Tensor& x, double order, const Dims& dims);

}  // namespace lowering
