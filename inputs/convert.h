#pragma once

#include "inputs/sample.h"

namespace inputs {

/// The sample as `--dtype` asks for it. `F16` leaves it as recorded; `BF16` turns f16 tensors and dtype arguments into
/// bf16 and leaves f32 ones, so that the mixtures AMP records stay valid; `F32` and `F64` turn every floating tensor and
/// dtype argument, and complex ones into the complex type of that component. `channelsLast` gives 4-D tensors
/// channels-last strides. The tensors of a network are written in f32, and take any target, unless its sample
/// names a dtype. Throws an Input error for any other target.
Sample convert(const Sample& sample, ir::DType target, bool channelsLast);

}  // namespace inputs
