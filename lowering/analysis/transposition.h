#pragma once

#include <optional>

#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"

namespace lowering {

/// Loops whose first element store is contiguous along one axis and some other tensor along another one, as a nest: its elements
/// are those along the other tensor's axis, and its last kept dim is the store's. It has reductions where the loops have them.
struct Transposition {
  ReductionNest nest;
  IterationDomain domain;
};

/// Whether an access of a transposition's domain is contiguous along the elements, across the store's axis.
bool crosses(const IterationDomain& domain, const Access& access);

/// The bytes that each point of a transposition reads from tensors that cross the store's axis.
int64_t bytesReadAcross(const Transposition& transposition);

/// The transposition of loops, whose domain this is, along the axis along which most bytes are moved; nothing where no tensor
/// crosses the first store.
std::optional<Transposition> transpositionOf(const ir::Loops& loops, const IterationDomain& domain);

/// The same of loops that reduce one axis and store, in the same traversal, elements along another one; nothing where no load
/// crosses these.
std::optional<Transposition> transpositionOf(const ir::Loops& loops, const ReductionNest& nest);

}  // namespace lowering
