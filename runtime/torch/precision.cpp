#include "runtime/torch/precision.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <limits>

#include "runtime/torch/types.h"

namespace runtime {
namespace {

/// The distance from 1 to the next number of a dtype.
double epsilonOf(at::ScalarType dtype) {
  switch (dtype) {
    case at::kHalf: return std::numeric_limits<c10::Half>::epsilon();
    case at::kBFloat16: return std::numeric_limits<c10::BFloat16>::epsilon();
    case at::kDouble: return std::numeric_limits<double>::epsilon();
    default: return std::numeric_limits<float>::epsilon();
  }
}

/// A number from -0.5 to 0.5 for each element, which its bits and the seed choose: equal elements have the same.
at::Tensor partOfBits(const at::Tensor& values, uint64_t seed) {
  constexpr auto golden = static_cast<int64_t>(0x9e3779b97f4a7c15), mixing = static_cast<int64_t>(0xbf58476d1ce4e5b9);
  constexpr int64_t digits = 24;
  at::Tensor bits = values.view(values.scalar_type() == at::kDouble ? at::kLong : at::kInt).to(at::kLong, false, /*copy=*/true);
  bits.add_(static_cast<int64_t>(seed)).mul_(golden);
  bits.bitwise_xor_(bits.bitwise_right_shift(29)).mul_(mixing);
  bits.bitwise_right_shift_(64 - digits).bitwise_and_((int64_t{1} << digits) - 1);
  return bits.to(values.scalar_type()).mul_(std::ldexp(1.0, -digits)).sub_(0.5);
}

}  // namespace

at::Tensor inFloat64(const at::Tensor& tensor) {
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return tensor;
  const at::Tensor flat = flatStorage(tensor);
  const at::ScalarType type = inDouble(tensor.scalar_type());
  return shapeLike(type == tensor.scalar_type() ? flat.clone() : flat.to(type), tensor);
}

at::Tensor offByARounding(const at::Tensor& tensor, std::optional<at::ScalarType> cast, uint64_t seed) {
  const double step = epsilonOf(cast.value_or(tensor.scalar_type()));
  const auto wide = tensor.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor values = flatStorage(tensor).to(wide);
  const at::Tensor moved = at::addcmul(values, values, partOfBits(values, seed), step).to(tensor.scalar_type());
  return shapeLike(at::where(moved.isfinite(), moved, flatStorage(tensor)), tensor);
}

}  // namespace runtime
