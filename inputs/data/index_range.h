#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "inputs/call.h"
#include "inputs/data/value_range.h"

namespace inputs {

/// The whole numbers that an operator takes.
struct Limits {
  int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  std::optional<int64_t> other = {};  ///< one more, such as that of a target that is ignored

  bool hold(int64_t value) const { return (least <= value && value <= most) || value == other; }
};

/// What an index argument is drawn from, and what a sample may give.
struct IndexRange {
  ValueRange drawn;
  Limits legal;
};

/// Indices in a dimension of so many elements. Error: Unsupported where there are indices and no elements.
IndexRange below(int64_t bound, const ir::TensorType& indices);

/// The range of an argument that indexes another one (or counts, or masks it), by the operator's meaning; nothing for any other
/// argument. Beyond it ATen's kernels on CUDA end the process. Indices that are written without accumulation are drawn distinct
/// where there is room, and values that may meet nevertheless are equal, so that the result does not depend on the order of the
/// writes.
std::optional<IndexRange> indexRange(const Call& call, size_t argument);

}  // namespace inputs
