#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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

/// A number's place among the numbers of its dtype, of its bits; both zeros are 0.
template <typename Bits>
int32_t ordinalOf(Bits bits) {
  return bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits;
}

/// The largest distance of so many numbers whose magnitudes, as bits, are less than `infinity`.
template <typename Bits>
uint32_t mostApart(const Bits* a, const Bits* b, int64_t count, int32_t infinity) {
  uint32_t most = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t one = ordinalOf(a[i]), other = ordinalOf(b[i]);
    const bool areFinite = std::abs(one) < infinity && std::abs(other) < infinity;
    const uint32_t apart = static_cast<uint32_t>(std::max(one, other)) - static_cast<uint32_t>(std::min(one, other));
    most = std::max(most, areFinite ? apart : 0);
  }
  return most;
}

template <typename Bits>
uint32_t mostApart(const at::Tensor& found, const at::Tensor& rounded, int32_t infinity) {
  const auto* const a = static_cast<const Bits*>(found.const_data_ptr());
  const auto* const b = static_cast<const Bits*>(rounded.const_data_ptr());
  constexpr int64_t block = 1024;  // of a length that is known, so that it is compiled for vectors
  const int64_t count = found.numel(), rest = count % block;
  uint32_t most = mostApart(a + count - rest, b + count - rest, rest, infinity);
  for (int64_t i = 0; i < count - rest; i += block) most = std::max(most, mostApart(a + i, b + i, block, infinity));
  return most;
}

}  // namespace

double maxUlpOnHost(const at::Tensor& found, const at::Tensor& reference) {
  const auto apart = [&]<typename Bits>(Bits, int32_t infinity) -> double {
    return mostApart<Bits>(found.contiguous(), reference.to(found.scalar_type()).contiguous(), infinity);
  };
  switch (found.scalar_type()) {
    case at::kHalf: return apart(int16_t{}, 0x7c00);
    case at::kBFloat16: return apart(int16_t{}, 0x7f80);
    case at::kFloat: return apart(int32_t{}, 0x7f800000);
    default: return maxUlp(found, reference).item<double>();
  }
}

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
