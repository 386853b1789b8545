#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/compare/numbers.h"
#include "runtime/compare/tally.h"
#include "runtime/torch/parallel.h"

namespace runtime {
namespace {

constexpr int64_t hostChunk = int64_t{1} << 15;

bool sameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool isOtherZero(double found, double eager) { return found == 0 && eager == 0 && std::signbit(found) != std::signbit(eager); }

/// Whether a value that is not finite stands where the other does not, or another one does.
bool misplacedAgainst(double found, double other) {
  return std::isfinite(found) ? !std::isfinite(other) : !sameNumber(found, other);
}

double square(double x) { return x * x; }

double relativeError(double found, double reference) {
  if (sameNumber(found, reference)) return 0;
  if (!std::isfinite(found) || !std::isfinite(reference)) return std::numeric_limits<double>::infinity();
  return std::abs(found - reference) / (1 + std::abs(reference));
}

void addFinite(double found, double eager, double reference, Tally& tally) {
  if (!std::isfinite(reference)) return;
  if (std::isfinite(found)) {
    tally.squaresFound += square(found - reference);
    tally.shares += 1 / (1 + std::abs(reference));
    tally.relativeFound += square(relativeError(found, reference));
    tally.countFound += 1;
    tally.dot += found * reference;
    tally.normFound += found * found;
    tally.normReference += reference * reference;
  }
  if (std::isfinite(eager)) {
    tally.squaresEager += square(eager - reference);
    tally.relativeEager += square(relativeError(eager, reference));
    tally.countEager += 1;
  }
}

void addUnequal(int64_t position, Tally& tally) {
  if (tally.unequal++ == 0) tally.firstUnequal = position;
}

void addElement(double found, double eager, double reference, bool isLost, const Operands& operands, int64_t position,
                Tally& tally) {
  const bool isOther = isOtherZero(found, eager);
  if (isOther || !sameNumber(found, eager)) addUnequal(position, tally);
  if (isLost) {
    tally.lost += 1;
    return;
  }
  addFinite(found, eager, reference, tally);
  if (misplacedAgainst(found, reference) && misplacedAgainst(found, eager) && tally.misplaced++ == 0)
    tally.firstMisplaced = position;
  tally.worstErrorEager = std::max(tally.worstErrorEager, relativeError(eager, reference));
  const double error = std::max(relativeError(found, reference), isOther ? ofOtherZero : 0.0);
  if (!(error <= operands.tolerance)) tally.notClose += 1;
  const bool isFarOff = operands.leastError == 0 || !(std::abs(found - reference) <= operands.leastError);
  if (error > tally.worstError && isFarOff) {
    tally.worst = position;
    tally.worstError = error;
    tally.worstFound = found;
    tally.worstExpected = reference;
  }
}

void addSettled(double found, double eager, double reference, const Operands& operands, const Overflow& overflow,
                int64_t position, Tally& tally) {
  const bool isAtEdge = std::abs(std::abs(reference) - overflow.threshold) <= overflow.edge;
  const auto settled = [&](double result) {
    return isAtEdge && std::isinf(result) ? std::copysign(overflow.threshold, result) : result;
  };
  const bool overflows = !isAtEdge && std::abs(reference) >= overflow.threshold;
  const double expected = overflows ? std::copysign(std::numeric_limits<double>::infinity(), reference) : reference;
  const double made = settled(eager);
  const bool isLost = std::isfinite(reference) && !std::isfinite(made) && made != expected;
  addElement(settled(found), made, expected, isLost, operands, position, tally);
}

Tally tallyHostChunk(const Operands& operands, int64_t begin, int64_t count) {
  const auto doubles = [&](const at::Tensor& tensor) { return tensor.narrow(0, begin, count).to(at::kDouble).contiguous(); };
  const at::Tensor found = doubles(operands.found);
  const at::Tensor eager = doubles(operands.eager);
  const at::Tensor reference = doubles(operands.reference);
  const double* f = found.const_data_ptr<double>();
  const double* e = eager.const_data_ptr<double>();
  const double* r = reference.const_data_ptr<double>();
  const Overflow overflow = overflowOf(operands);
  Tally tally;
  for (int64_t block = 0; block < count; block += numbersOfBlock) {
    const int64_t end = std::min(count, block + numbersOfBlock);
    const bool isWhole = end - block == numbersOfBlock;
    if (isWhole && addNumbers({f + block, e + block, r + block}, operands, overflow, begin + block, tally)) continue;
    for (int64_t i = block; i < end; ++i) addSettled(f[i], e[i], r[i], operands, overflow, begin + i, tally);
  }
  tally.maxUlp = maxUlpOnHost(operands.found.narrow(0, begin, count), reference);
  return tally;
}

/// Integers above 2^53 are compared as what they are: the double of such a one is another's too.
void compareIntegers(const Operands& operands, int64_t begin, int64_t count, Tally& tally) {
  const auto part = [&](const at::Tensor& tensor) { return tensor.narrow(0, begin, count).contiguous(); };
  const at::Tensor found = part(operands.found);
  const at::Tensor eager = part(operands.eager);
  const auto* f = static_cast<const int64_t*>(found.const_data_ptr());
  const auto* e = static_cast<const int64_t*>(eager.const_data_ptr());
  tally.unequal = 0;
  for (int64_t i = 0; i < count; ++i)
    if (f[i] != e[i]) addUnequal(begin + i, tally);
}

}  // namespace

void mergeTally(const Tally& part, Tally& whole) {
  if (whole.unequal == 0) whole.firstUnequal = part.firstUnequal;
  whole.unequal += part.unequal;
  whole.lost += part.lost;
  whole.notClose += part.notClose;
  if (whole.misplaced == 0) whole.firstMisplaced = part.firstMisplaced;
  whole.misplaced += part.misplaced;
  whole.squaresFound += part.squaresFound;
  whole.squaresEager += part.squaresEager;
  whole.shares += part.shares;
  whole.relativeFound += part.relativeFound;
  whole.relativeEager += part.relativeEager;
  whole.countFound += part.countFound;
  whole.countEager += part.countEager;
  whole.dot += part.dot;
  whole.normFound += part.normFound;
  whole.normReference += part.normReference;
  whole.worstErrorEager = std::max(whole.worstErrorEager, part.worstErrorEager);
  whole.maxUlp = std::max(whole.maxUlp, part.maxUlp);
  if (part.worst < 0 || (whole.worst >= 0 && part.worstError <= whole.worstError)) return;
  whole.worst = part.worst;
  whole.worstError = part.worstError;
  whole.worstFound = part.worstFound;
  whole.worstExpected = part.worstExpected;
}

Overflow overflowOf(const Operands& operands) {
  constexpr double worstErrors = 4;  // beyond the tolerance, as single elements are
  // The largest finite value and half the gap that would follow it: ties round to the even one, which is infinity.
  const auto overflow = [&](double threshold, double gap) {
    return Overflow{threshold, std::max(gap, worstErrors * operands.tolerance * threshold)};
  };
  switch (operands.found.scalar_type()) {
    case at::kHalf: return overflow(65520, 16);
    case at::kBFloat16: return overflow(std::ldexp(511.0 / 256, 127), std::ldexp(1.0 / 256, 127));
    case at::kFloat: return overflow(std::ldexp(33554431.0 / 16777216, 127), std::ldexp(1.0 / 16777216, 127));
    default: return {};
  }
}

Tally tallyOnHost(const Operands& operands) {
  const at::ScalarType type = operands.found.scalar_type();
  const bool isWide = type == at::kLong || type == at::kUInt64;
  const int64_t numel = operands.found.numel();
  // A tally a chunk, added up in order: the sums do not depend on the threads.
  std::vector<Tally> parts((numel + hostChunk - 1) / hostChunk);
  parallelFor(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
    const c10::InferenceMode guard;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i * hostChunk;
      const int64_t count = std::min(hostChunk, numel - first);
      parts[i] = tallyHostChunk(operands, first, count);
      if (isWide) compareIntegers(operands, first, count, parts[i]);
    }
  });
  Tally whole;
  for (const Tally& part : parts) mergeTally(part, whole);
  return whole;
}

}  // namespace runtime
