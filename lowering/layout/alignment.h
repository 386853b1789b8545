#pragma once

#include <span>

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"

namespace lowering {

/// The stores of a domain that are made for every element.
using ElementStores = std::span<const Access>;

/// Elements to which stores of vectors of `lanes` are to be aligned: a register's, of the smallest of them.
int64_t alignmentOf(ElementStores stores, int lanes, const ir::Target& target);

/// Whether stores run along a dim and vectors of `lanes` are aligned, as far as a register is long, wherever a position along it
/// is a multiple of `lanes`.
bool areAligned(const IterationDomain& domain, ElementStores stores, std::size_t dim, int lanes, const ir::Target& target);

/// Whether a masked vector at the start of elements along the inner dim can align the others: stores are alike.
bool canHaveHead(const IterationDomain& domain, ElementStores stores, int lanes, const ir::Target& target);
/// Whether so many elements are enough for such a vector.
bool hasRoomForHead(ElementStores stores, int64_t count, int lanes, const ir::Target& target);

}  // namespace lowering
