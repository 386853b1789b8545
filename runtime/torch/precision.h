#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

namespace runtime {

/// The tensor's values as they were rounded, in double precision and with the same strides; a Python number stays one.
at::Tensor inFloat64(const at::Tensor& tensor);

/// A copy of a floating tensor with the same strides, each element of which is off by at most a rounding of its dtype, or of one
/// that it is cast to, as `seed` says. What is infinite or NaN stays that, and nothing else becomes it.
at::Tensor offByARounding(const at::Tensor& tensor, std::optional<at::ScalarType> cast, uint64_t seed);

}  // namespace runtime
