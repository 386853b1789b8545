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

Tally tallyHostChunk(const Compared& operands, int64_t begin, int64_t count) {
  const auto doubles = [&](const at::Tensor& tensor) { return tensor.narrow(0, begin, count).to(at::kDouble).contiguous(); };
  const at::Tensor found = doubles(operands.found);
  const at::Tensor eager = doubles(operands.eager);
  const at::Tensor reference = doubles(operands.reference);
  const double* f = found.const_data_ptr<double>();
  const double* e = eager.const_data_ptr<double>();
  const double* r = reference.const_data_ptr<double>();
  const Limits limits = limitsOf(operands);
  Tally tally;
  for (int64_t block = 0; block < count; block += numbersOfBlock) {
    const int64_t end = std::min(count, block + numbersOfBlock);
    if (end - block == numbersOfBlock) {
      addBlock({f + block, e + block, r + block}, limits, begin + block, tally);
    } else {
      for (int64_t i = block; i < end; ++i) addSettled(f[i], e[i], r[i], limits, begin + i, tally);
    }
  }
  tally.maxUlp = maxUlpOnHost(operands.found.narrow(0, begin, count), reference);
  return tally;
}

/// Integers above 2^53 are compared as what they are: the double of such a one is another's too.
void compareIntegers(const Compared& operands, int64_t begin, int64_t count, Tally& tally) {
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

Limits limitsOf(const Compared& operands) {
  constexpr double worstErrors = 4;  // beyond the tolerance, as single elements are
  // The largest finite value and half the gap that would follow it: ties round to the even one, which is infinity.
  const auto before = [&](double threshold, double gap) {
    const Overflow overflow{threshold, std::max(gap, worstErrors * operands.tolerance * threshold)};
    return Limits{operands.tolerance, operands.leastError, overflow};
  };
  switch (operands.found.scalar_type()) {
    case at::kHalf: return before(65520, 16);
    case at::kBFloat16: return before(std::ldexp(511.0 / 256, 127), std::ldexp(1.0 / 256, 127));
    case at::kFloat: return before(std::ldexp(33554431.0 / 16777216, 127), std::ldexp(1.0 / 16777216, 127));
    default: return {operands.tolerance, operands.leastError, {}};
  }
}

Tally tallyOnHost(const Compared& operands) {
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
