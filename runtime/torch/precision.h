#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

namespace runtime {

/// The tensor's values as they were rounded, in double precision and with the same strides; a Python number stays one.
at::Tensor inFloat64(const at::Tensor& tensor);

/// A copy of a floating tensor with the same strides, moved at random by `seed`: each element by at most one rounding of the
/// tensor's dtype, or of `cast`, and equal ones alike, as a function of them would be rounded. Infinities and NaN stay, and no
/// other element becomes one.
at::Tensor offByARounding(const at::Tensor& tensor, std::optional<at::ScalarType> cast, uint64_t seed);

}  // namespace runtime
