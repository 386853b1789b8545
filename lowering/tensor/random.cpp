#include "lowering/tensor/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace lowering {
namespace {

using ir::DType;

/// Whether no two elements share memory and none lies between them.
bool isDense(const ir::TensorType& type) {
  std::vector<std::pair<int64_t, int64_t>> dims;  // strides and extents
  for (std::size_t d = 0; d < type.sizes.size(); ++d)
    if (type.sizes[d] != 1) dims.emplace_back(type.strides[d], type.sizes[d]);
  std::sort(dims.begin(), dims.end());
  int64_t expected = 1;
  return std::all_of(dims.begin(), dims.end(),
                     [&](const auto& dim) { return dim.first == std::exchange(expected, expected * dim.second); });
}

/// Bits of the numbers in [0, 1) that a dtype holds evenly spaced.
int bitsOf(DType dtype) {
  switch (dtype) {
    case DType::F64: return 53;
    case DType::F16: return 11;
    case DType::BF16: return 8;
    default: return 24;
  }
}

/// The upper bits of a word as a number from 0 to 2^bits - 1.
Value upper(Value word, int bits) {
  const int width = static_cast<int>(8 * ir::sizeOf(word.dtype()));
  const Value shifted = apply(ir::Op::Shr, word, word.like(int64_t{width - bits}));
  return cast(shifted, width == 64 ? DType::F64 : DType::F32);
}

}  // namespace

Draws::Draws(const Context& context) : pool_(context.pool()), generator_(context.generator()), type_(context.outputType()) {
  if (!isDense(type_)) type_ = ir::TensorType::contiguous(type_.dtype, type_.sizes);
}

Tensor Draws::bits(int word, int words) const {
  return lazy(DType::U32, type_.sizes, [generator = generator_, &pool = pool_, type = type_, word, words](const Index& index) {
    const auto part = [&](int64_t i) { return generator.at({Value{pool, pool.integer(DType::I64, i)}}); };
    return philox(part(0), part(1), offsetOf(pool, type, index) * words + word);
  });
}

Tensor Draws::wideBits() const { return wideBits(0, 1); }

Tensor Draws::wideBits(int number, int numbers) const {
  const auto joined = [](Value high, Value low) {
    const Value wide = cast(high, DType::U64);
    return apply(ir::Op::Shl, wide, wide.like(int64_t{32})) | cast(low, DType::U64);
  };
  Tensor wide = map(joined, bits(2 * number, 2 * numbers), bits(2 * number + 1, 2 * numbers));
  wide.dtype = DType::U64;
  return wide;
}

Tensor Draws::uniform(DType dtype) const {
  const int count = bitsOf(dtype);
  Tensor numbers = map([count](Value word) { return upper(word, count) * std::ldexp(1.0, -count); },
                       dtype == DType::F64 ? wideBits() : bits());
  numbers.dtype = ir::opmath(dtype);
  return numbers;
}

Tensor Draws::openUniform(DType dtype, int number, int numbers) const {
  const bool isDouble = dtype == DType::F64;
  const int count = isDouble ? 52 : 23;
  Tensor open = map([count](Value word) { return (upper(word, count) + 0.5) * std::ldexp(1.0, -count); },
                    isDouble ? wideBits(number, numbers) : bits(number, numbers));
  open.dtype = isDouble ? DType::F64 : DType::F32;
  return open;
}

Tensor Draws::normal(DType dtype) const {
  const auto formula = [](Value a, Value b) { return sqrt(-2.0 * log(a)) * cos(2 * std::numbers::pi * b); };
  return map(formula, openUniform(dtype, 0, 2), openUniform(dtype, 1, 2));
}

}  // namespace lowering
