#pragma once

#include "inputs/data/index_range.h"

namespace inputs {

/// A range that draws the number that stands for none once in eight times, but never first, so that something is left.
IndexRange orNone(IndexRange range, int64_t none);

// Classes that a loss takes: `(input, target, ...)`, whose places the numbers are.

/// A class, or the number that stands for none, which the argument `ignored` says.
template <size_t input, size_t target, size_t ignored>
IndexRange classOrNone(const Call& call);
template <size_t input, size_t target>
IndexRange classOfMargin(const Call& call);
/// Classes up to the first -1.
template <size_t input, size_t target>
IndexRange classesOfMargin(const Call& call);
/// A class below the number of classes, which is argument 1.
IndexRange encodedClass(const Call& call);
/// The sum of the targets' weights, as if all were 1.
IndexRange totalWeight(const Call& call);

}  // namespace inputs
