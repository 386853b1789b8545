#pragma once

#include "lowering/tensor/reduce.h"

namespace lowering {

/// The norm of this order of elements in opmath: 0 counts those that are not 0, infinite ones are the extremes of magnitudes.
Tensor vectorNorm(Context& c, const Tensor& x, double order, const Dims& dims);

}  // namespace lowering
