#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>

#include <limits>

#include "ir/error.h"
#include "runtime/compare/tally.h"

namespace runtime {
namespace {

/// The bits of a floating tensor as integers of its size, and the least such integer.
std::pair<at::Tensor, int64_t> bitsOf(const at::Tensor& tensor) {
  switch (tensor.itemsize()) {
    case 1: return {tensor.view(at::kChar), std::numeric_limits<int8_t>::min()};
    case 2: return {tensor.view(at::kShort), std::numeric_limits<int16_t>::min()};
    case 4: return {tensor.view(at::kInt), std::numeric_limits<int32_t>::min()};
    case 8: return {tensor.view(at::kLong), std::numeric_limits<int64_t>::min()};
    default: ir::fail(ir::ErrorKind::Internal, "floating numbers of {} bytes", tensor.itemsize());
  }
}

/// Numbers in the order of the values and as far apart as there are values between them; both zeros are 0.
at::Tensor ordinals(const at::Tensor& tensor) {
  const auto [bits, least] = bitsOf(tensor);
  const at::Tensor wide = bits.to(at::kLong);
  return at::where(wide.lt(0), wide.neg().add(least), wide);
}

}  // namespace

at::Tensor maxUlp(const at::Tensor& found, const at::Tensor& reference) {
  if (!found.is_floating_point() || found.numel() == 0)
    return at::scalar_tensor(0, at::TensorOptions(at::kDouble).device(found.device()));
  const at::Tensor values = found.contiguous();
  const at::Tensor rounded = reference.to(found.scalar_type()).contiguous();
  const at::Tensor a = ordinals(values);
  const at::Tensor b = ordinals(rounded);
  // The difference of ordinals of unlike sign may exceed 64 bits; the difference of like ones is exact.
  const at::Tensor isLike = a.bitwise_xor(b).ge(0);
  const at::Tensor distance = at::where(isLike, a.sub(b).abs().to(at::kDouble), a.to(at::kDouble).sub(b.to(at::kDouble)).abs());
  const auto isFinite = [](const at::Tensor& tensor) { return tensor.to(at::kDouble).isfinite(); };
  return distance.masked_fill(isFinite(values).logical_and(isFinite(rounded)).logical_not(), 0).max();
}

}  // namespace runtime
