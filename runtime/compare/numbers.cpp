#include "runtime/compare/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace runtime {
namespace {

namespace of8 {
constexpr int64_t lanes = 8;
#pragma GCC push_options
#pragma GCC target("avx512f")
#include "runtime/compare/numbers_sum.inc"
#pragma GCC pop_options
}  // namespace of8

namespace of4 {
constexpr int64_t lanes = 4;
#pragma GCC push_options
#pragma GCC target("avx2")
#include "runtime/compare/numbers_sum.inc"
#pragma GCC pop_options
}  // namespace of4

namespace of2 {
constexpr int64_t lanes = 2;
#include "runtime/compare/numbers_sum.inc"
}  // namespace of2

/// The sums by the widest vectors that the processor has.
auto* widestSum() {
  if (__builtin_cpu_supports("avx512f") != 0) return &of8::sum;
  return __builtin_cpu_supports("avx2") != 0 ? &of4::sum : &of2::sum;
}

/// The first element of a block for which this is so, from 0; the block's length where there is none.
template <typename Is>
int64_t firstOf(const Is& is) {
  int64_t i = 0;
  while (i < numbersOfBlock && !is(i)) ++i;
  return i;
}

}  // namespace

void addBlock(const Numbers& block, const Limits& limits, int64_t position, Tally& tally) {
  constexpr double most = std::numeric_limits<double>::max();
  const double mostReference = std::min(most, limits.overflow.threshold - limits.overflow.edge);
  const auto isNumber = [&](int64_t i) {
    return std::abs(block.found[i]) <= most && std::abs(block.eager[i]) <= most && std::abs(block.reference[i]) < mostReference &&
           !isOtherZero(block.found[i], block.eager[i]);
  };
  static auto* const sum = widestSum();
  Tally numbers;
  sum(block, limits, most, mostReference, numbers);
  if (numbers.unequal > 0)
    numbers.firstUnequal = position + firstOf([&](int64_t i) { return block.found[i] != block.eager[i] && isNumber(i); });
  if (numbers.worstError > tally.worstError) {
    const int64_t place = firstOf([&](int64_t i) {
      const double off = std::abs(block.found[i] - block.reference[i]);
      return off > limits.leastError && off * (1 / (1 + std::abs(block.reference[i]))) >= numbers.worstError && isNumber(i);
    });
    if (place < numbersOfBlock) {
      numbers.worst = position + place;
      numbers.worstFound = block.found[place];
      numbers.worstExpected = block.reference[place];
    }
  }
  mergeTally(numbers, tally);
  if (numbers.countFound == numbersOfBlock) return;
  Tally others;
  for (int64_t i = 0; i < numbersOfBlock; ++i)
    if (!isNumber(i)) addSettled(block.found[i], block.eager[i], block.reference[i], limits, position + i, others);
  mergeTally(others, tally);
}

}  // namespace runtime
