#pragma once

#include <ATen/core/Tensor.h>

namespace runtime {

/// Bytes on either side of a guarded tensor that hold a known pattern, which nobody may write.
inline constexpr int64_t guardBytes = 4096;

/// A tensor in new memory between two guards, its elements undefined.
at::Tensor emptyGuarded(at::IntArrayRef sizes, at::IntArrayRef strides, at::TensorOptions options);
/// A copy made so, whatever is no element poisoned.
at::Tensor cloneGuarded(const at::Tensor& tensor);
/// A copy between two guards, which are poisoned as elements are: whatever is computed from them stands out. They are no part of
/// its storage; with an offset, the one before it is, as other elements are that a slice leaves out.
at::Tensor cloneBetweenGuards(const at::Tensor& tensor, bool hasOffset = false);
/// Whether the tensor was made by emptyGuarded, and is not a part of one that was.
bool isGuarded(const at::Tensor& tensor);

/// Fills a tensor's storage so that elements left as they are stand out: floats with NaN, others with bytes that are no Bool and
/// a number no operator is likely to find; and its guards, where it has any, with their pattern. Queued on the current stream.
void poison(const at::Tensor& tensor);
/// Poisons a tensor, or, as often, moves its elements to other places, where they look like results and are none: whoever
/// computes only where memory is poisoned does not see it. Chance decides.
void disguise(const at::Tensor& tensor);

}  // namespace runtime
