#pragma once

#include "inputs/data/index_range.h"

namespace inputs {

// Positions of maxima in planes of so many dimensions.

/// In the window of each output: `(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices)`.
template <size_t dims>
IndexRange maxPoolIndex(const Call& call);
/// The same: `(grad_output, self, indices)`.
template <size_t dims>
IndexRange adaptiveMaxPoolIndex(const Call& call);
/// Anywhere in the input's plane: `(grad_output, self, kernel_size, output_size, indices)`.
template <size_t dims>
IndexRange inPlane(const Call& call);
/// Distinct ones: `(self, indices, output_size)`.
template <size_t dims>
IndexRange unpooledIndex(const Call& call);

}  // namespace inputs
