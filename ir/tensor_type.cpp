#include "ir/tensor_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/error.h"

namespace ir {
namespace {

std::string sizesText(const Shape& sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); }

int64_t checkedMul(int64_t a, int64_t b, const Shape& sizes) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    fail(ErrorKind::Unsupported, "a tensor of sizes {} has more elements than 64 bits count", sizesText(sizes));
  return product;
}

int64_t checkedAdd(int64_t a, int64_t b, const Shape& sizes) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    fail(ErrorKind::Unsupported, "a tensor of sizes {} addresses more elements than 64 bits count", sizesText(sizes));
  return sum;
}

bool isEmpty(const Shape& sizes) { return std::find(sizes.begin(), sizes.end(), 0) != sizes.end(); }

}  // namespace

Strides contiguousStrides(const Shape& sizes) {
  Strides strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    if (i > 0) step = checkedMul(step, std::max<int64_t>(sizes[i], 1), sizes);
  }
  return strides;
}

TensorType TensorType::contiguous(DType dtype, Shape sizes) {
  Strides strides = contiguousStrides(sizes);
  return {dtype, std::move(sizes), std::move(strides)};
}

int64_t TensorType::numel() const {
  if (isEmpty(sizes)) return 0;
  int64_t count = 1;
  for (int64_t size : sizes) count = checkedMul(count, size, sizes);
  return count;
}

int64_t TensorType::storageElements() const {
  if (isEmpty(sizes)) return 0;
  int64_t last = 0;
  for (size_t i = 0; i < sizes.size(); ++i) last = checkedAdd(last, checkedMul(sizes[i] - 1, strides[i], sizes), sizes);
  return checkedAdd(last, 1, sizes);
}

int64_t TensorType::bytesTouched() const {
  if (isEmpty(sizes)) return 0;
  int64_t distinct = 1;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (strides[i] != 0) distinct = checkedMul(distinct, sizes[i], sizes);
  return checkedMul(std::min(distinct, storageElements()), sizeOf(dtype), sizes);
}

bool TensorType::isContiguous() const {
  if (isEmpty(sizes)) return true;
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != step) return false;
    step = checkedMul(step, sizes[i], sizes);
  }
  return true;
}

bool TensorType::hasChannelsLast() const {
  if (sizes.size() < 4) return false;
  int64_t expected = 1;
  const auto isNext = [&](std::size_t d) { return sizes[d] == 1 || strides[d] == std::exchange(expected, expected * sizes[d]); };
  bool areNext = isNext(1);
  for (std::size_t d = sizes.size() - 1; d > 1; --d) areNext = areNext && isNext(d);
  return areNext && isNext(0);
}

std::string toText(const TensorType& type) {
  std::string text = fmt::format("{}{}", name(type.dtype), sizesText(type.sizes));
  if (type.strides != contiguousStrides(type.sizes)) text += fmt::format(" strides ({})", fmt::join(type.strides, ", "));
  return text;
}

}  // namespace ir
