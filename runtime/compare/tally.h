#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>

namespace runtime {

/// Three one-dimensional tensors of one length and device that are compared element by element. `found` and `eager` are of one
/// real dtype; the reference is float64 or, where there is none, eager itself.
struct Operands {
  at::Tensor found;
  at::Tensor eager;
  at::Tensor reference;
  double tolerance = 0;
  double leastError = 0;  ///< the worst element is looked for among elements that are off by more, in absolute terms
};

/// The error of a zero whose sign is not eager's: found where all else is equal, within every tolerance.
inline constexpr double ofOtherZero = std::numeric_limits<double>::min();

/// Sums over the elements. The reference counts as infinite where it exceeds what found's dtype holds, its edge included
/// (Overflow). Elements that are lost count in nothing but `lost` and `unequal`.
struct Tally {
  int64_t lost = 0;  ///< eager is not finite, and neither what the reference is in its dtype: values on its way overflowed
  int64_t unequal = 0;
  int64_t firstUnequal = -1;
  int64_t notClose = 0;
  int64_t misplaced = 0;
  int64_t firstMisplaced = -1;
  double squaresFound = 0;   ///< of found - reference, where both are finite
  double squaresEager = 0;   ///< of eager - reference, where both are finite
  double shares = 0;         ///< of 1 / (1 + |reference|), where both are finite
  double relativeFound = 0;  ///< of (found - reference) / (1 + |reference|), where both are finite
  double relativeEager = 0;  ///< of (eager - reference) / (1 + |reference|), where both are finite
  int64_t countFound = 0;
  int64_t countEager = 0;
  double dot = 0;  ///< of found and reference, where both are finite; their squares:
  double normFound = 0;
  double normReference = 0;
  /// The element with the largest error relative to 1 + |reference|, among those off by more than leastError; the first such one.
  int64_t worst = -1;
  double worstError = 0;
  double worstFound = 0;
  double worstExpected = 0;
  double worstErrorEager = 0;  ///< the largest such error of eager's
  double maxUlp = 0;           ///< most values of found's dtype that lie between found and the rounded reference, plus one
};

/// The largest distance, in values of the dtype, of `found` from `reference` rounded to it, over elements finite in both: 0 for
/// equal ones, 1 for neighbours; 0 where the dtype is not floating. A double of rank 0 on their device.
at::Tensor maxUlp(const at::Tensor& found, const at::Tensor& reference);
/// The same of tensors of one dimension on the host.
double maxUlpOnHost(const at::Tensor& found, const at::Tensor& reference);

/// On the worker threads, a chunk at a time: takes little memory besides the tensors.
Tally tallyOnHost(const Operands& operands);
/// By ATen operations on the tensors' device, a chunk at a time.
Tally tallyOnDevice(const Operands& operands);

/// Adds the tally of the elements that follow the elements of `whole`.
void mergeTally(const Tally& part, Tally& whole);

/// Where the numbers of a dtype end.
struct Overflow {
  double threshold = std::numeric_limits<double>::infinity();  ///< magnitudes from which on a value rounds to infinity
  double edge =
      0;  ///< how near to it rounding decides: the distance of the largest number, or four times what the tolerance is there
};

/// No threshold for float64 and integers. A result at the edge that is infinite counts as the threshold.
Overflow overflowOf(const Operands& operands);

}  // namespace runtime
