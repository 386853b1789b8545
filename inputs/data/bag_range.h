#pragma once

#include "inputs/data/index_range.h"

namespace inputs {

// Indices are shared out evenly to the bags of an embedding: every argument that says so agrees with all others.

/// The first index of each bag: `(weight, indices, offsets, ...)`, where a flag may say that the last offset is their number.
template <size_t includesLast>
IndexRange bagOffsets(const Call& call);
/// The same, and the bag of each index: `(grad, weight, indices, offsets, offset2bag, ...)`.
IndexRange perSampleOffsets(const Call& call);
IndexRange perSampleBag(const Call& call);
/// The same, and how many indices each bag has: `(grad, indices, ...)`.
IndexRange backwardOffsets(const Call& call);
IndexRange backwardBag(const Call& call);
IndexRange backwardBagSize(const Call& call);
/// The row that holds a bag's maximum, or -1 of an empty bag, for the same bags; the arguments say how many rows there are, and
/// which of them counts as none.
template <size_t argument, size_t rows, size_t padding>
IndexRange maximumRow(const Call& call);

}  // namespace inputs
