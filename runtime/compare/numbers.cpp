#include "runtime/compare/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace runtime {
namespace {

constexpr int64_t lanes = 8;
using Doubles = double __attribute__((vector_size(lanes * sizeof(double))));
using Masks = int64_t __attribute__((vector_size(lanes * sizeof(int64_t))));  // all bits of a lane, or none

/// Sums of a block, a lane each.
struct Sums {
  Doubles squaresFound, squaresEager, shares, relativeFound, relativeEager, dot, normFound, normReference;
  Doubles worst, worstEager;  ///< the largest errors over 1 + |reference|
  Masks count, unequal, notClose;
};

/// The sums over the numbers of a block (isNumber), compiled for vectors of several widths; the processor's own is taken.
__attribute__((target_clones("avx512f", "avx2", "default"))) void sum(const Numbers& block, double most, double mostReference,
                                                                      double tolerance, double leastError, Sums& sums) {
  const Masks magnitude = Masks{} + std::numeric_limits<int64_t>::max();
  const Masks none = {};
  Sums own = {};
  for (int64_t i = 0; i < numbersOfBlock; i += lanes) {
    Doubles found, eager, reference;
    std::memcpy(&found, block.found + i, sizeof found);
    std::memcpy(&eager, block.eager + i, sizeof eager);
    std::memcpy(&reference, block.reference + i, sizeof reference);
    const Doubles size = (Doubles)((Masks)reference & magnitude);
    const Masks areOtherZeros = (found == 0) & (eager == 0) & (((Masks)found ^ (Masks)eager) < none);
    const Masks areNumbers = ((Doubles)((Masks)found & magnitude) <= most) & ((Doubles)((Masks)eager & magnitude) <= most) &
                             (size < mostReference) & ~areOtherZeros;
    found = (Doubles)((Masks)found & areNumbers);
    eager = (Doubles)((Masks)eager & areNumbers);
    reference = (Doubles)((Masks)reference & areNumbers);
    const Doubles error = found - reference, eagerError = eager - reference;
    const Doubles scale = 1 + (Doubles)((Masks)size & areNumbers), share = (Doubles)((Masks)(1 / scale) & areNumbers);
    const Doubles off = (Doubles)((Masks)error & magnitude), eagerOff = (Doubles)((Masks)eagerError & magnitude);
    const Doubles relative = off * share, relativeEager = eagerOff * share;
    own.squaresFound += error * error;
    own.squaresEager += eagerError * eagerError;
    own.shares += share;
    own.relativeFound += relative * relative;
    own.relativeEager += relativeEager * relativeEager;
    own.dot += found * reference;
    own.normFound += found * found;
    own.normReference += reference * reference;
    own.count -= areNumbers;
    own.unequal -= found != eager;
    own.notClose -= off > tolerance * scale;
    const Doubles farOff = (Doubles)((Masks)relative & (Masks)(off > leastError));
    own.worst = farOff > own.worst ? farOff : own.worst;
    own.worstEager = relativeEager > own.worstEager ? relativeEager : own.worstEager;
  }
  sums = own;
}

template <typename Vector>
auto total(const Vector& vector) {
  auto sum = vector[0];
  for (int64_t lane = 1; lane < lanes; ++lane) sum += vector[lane];
  return sum;
}

double largest(const Doubles& vector) {
  double most = vector[0];
  for (int64_t lane = 1; lane < lanes; ++lane) most = std::max(most, vector[lane]);
  return most;
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
  Sums sums;
  sum(block, most, mostReference, limits.tolerance, limits.leastError, sums);
  Tally numbers;
  numbers.squaresFound = total(sums.squaresFound);
  numbers.squaresEager = total(sums.squaresEager);
  numbers.shares = total(sums.shares);
  numbers.relativeFound = total(sums.relativeFound);
  numbers.relativeEager = total(sums.relativeEager);
  numbers.dot = total(sums.dot);
  numbers.normFound = total(sums.normFound);
  numbers.normReference = total(sums.normReference);
  numbers.countFound = numbers.countEager = total(sums.count);
  numbers.notClose = total(sums.notClose);
  numbers.worstErrorEager = largest(sums.worstEager);
  numbers.unequal = total(sums.unequal);
  if (numbers.unequal > 0)
    numbers.firstUnequal = position + firstOf([&](int64_t i) { return block.found[i] != block.eager[i] && isNumber(i); });
  const double worst = largest(sums.worst);
  const int64_t place = worst <= tally.worstError ? numbersOfBlock : firstOf([&](int64_t i) {
    const double off = std::abs(block.found[i] - block.reference[i]);
    return off > limits.leastError && off * (1 / (1 + std::abs(block.reference[i]))) >= worst && isNumber(i);
  });
  if (place < numbersOfBlock) {
    numbers.worst = position + place;
    numbers.worstFound = block.found[place];
    numbers.worstExpected = block.reference[place];
    numbers.worstError = worst;
  }
  mergeTally(numbers, tally);
  if (numbers.countFound == numbersOfBlock) return;
  Tally others;
  for (int64_t i = 0; i < numbersOfBlock; ++i)
    if (!isNumber(i)) addSettled(block.found[i], block.eager[i], block.reference[i], limits, position + i, others);
  mergeTally(others, tally);
}

}  // namespace runtime
