#pragma once

#include "lowering/tensor/tensor.h"

namespace lowering {

/// The elements whose sums an intermediate in f32 accumulates, which is rounded once. They are copied to it, and back.
enum class SummedApart { None, Touched, All };

/// Those of a tensor that is scattered to.
SummedApart summedApart(const Tensor& first);

}  // namespace lowering
