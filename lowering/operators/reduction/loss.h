#pragma once

#include "lowering/tensor/reduce.h"

namespace lowering {

/// at::Reduction
enum class Over : int64_t { None = 0, Mean = 1, Sum = 2 };
inline Over reductionOf(const Context& c) { return static_cast<Over>(c.integer("reduction")); }

/// Losses as the call's `reduction` wants them: each, their mean or their sum.
Tensors reducedLoss(Context& c, const Tensor& losses);
/// The gradient of each of so many losses under such a reduction: 1, or 1 over their number.
double shareOfLoss(const Context& c, int64_t losses);

}  // namespace lowering
