#pragma once

#include "lowering/tensor/tensor.h"

namespace lowering {

/// The elements whose sums an intermediate in f32 accumulates, which is rounded once. They are copied to it, and back.
enum class SummedApart { None, Touched, All };

/// Which sums of a tensor that is scattered to are kept apart.
SummedApart summedApart(const Tensor& first);

}  // namespace lowering
