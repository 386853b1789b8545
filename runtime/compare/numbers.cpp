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
  Masks unequal, notClose;    ///< counts
  Masks others;               ///< lanes of elements that are no such numbers
};

/// The sums of a block, compiled for vectors of several widths; the processor's own is taken.
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
    const Masks areNumbers =
        ((Doubles)((Masks)found & magnitude) <= most) & ((Doubles)((Masks)eager & magnitude) <= most) & (size < mostReference);
    const Masks areOtherZeros = (found == 0) & (eager == 0) & (((Masks)found ^ (Masks)eager) < none);
    own.others |= ~areNumbers | areOtherZeros;
    const Doubles error = found - reference, eagerError = eager - reference;
    const Doubles scale = 1 + size, share = 1 / scale;
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

bool addNumbers(const Numbers& block, const Limits& limits, int64_t position, Tally& tally) {
  constexpr double most = std::numeric_limits<double>::max();
  Sums sums;
  sum(block, most, std::min(most, limits.overflow.threshold - limits.overflow.edge), limits.tolerance, limits.leastError, sums);
  for (int64_t lane = 0; lane < lanes; ++lane)
    if (sums.others[lane] != 0) return false;
  tally.squaresFound += total(sums.squaresFound);
  tally.squaresEager += total(sums.squaresEager);
  tally.shares += total(sums.shares);
  tally.relativeFound += total(sums.relativeFound);
  tally.relativeEager += total(sums.relativeEager);
  tally.dot += total(sums.dot);
  tally.normFound += total(sums.normFound);
  tally.normReference += total(sums.normReference);
  tally.countFound += numbersOfBlock;
  tally.countEager += numbersOfBlock;
  tally.notClose += total(sums.notClose);
  tally.worstErrorEager = std::max(tally.worstErrorEager, largest(sums.worstEager));
  const int64_t unequal = total(sums.unequal);
  if (tally.unequal == 0 && unequal > 0)
    tally.firstUnequal = position + firstOf([&](int64_t i) { return block.found[i] != block.eager[i]; });
  tally.unequal += unequal;
  const double worst = largest(sums.worst);
  if (worst <= tally.worstError) return true;
  const int64_t place = firstOf([&](int64_t i) {
    const double off = std::abs(block.found[i] - block.reference[i]);
    return off > limits.leastError && off * (1 / (1 + std::abs(block.reference[i]))) >= worst;
  });
  if (place == numbersOfBlock) return true;
  tally.worst = position + place;
  tally.worstFound = block.found[place];
  tally.worstExpected = block.reference[place];
  tally.worstError = worst;
  return true;
}

}  // namespace runtime
