#pragma once

#include <optional>
#include <set>

#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// Two loops as one, and the bytes of memory traffic that this saves: tensors that both read are read once, and what the first
/// ones store for the second is not read back.
struct JoinedLoops {
  ir::Loops loops;
  int64_t savedBytes = 0;
};

/// The loops of a nest with each axis split into as many as another nest has for it: neighbouring axes that together have as many
/// points. So a matrix of rows is split where the other nest has images of rows.
std::optional<ir::Loops> splitAs(const LoopNest& nest, const LoopNest& other);

/// Loops that reduce rows, each folded to as many elements as pieces of loops (ir::Buffer::isPart) have of it: `sum(a 256) x[a]`
/// is `sum(a 128) x[a] + x[128 + a]` for pieces of 128. Nothing where rows are no few whole pieces long.
std::optional<ir::Loops> foldedAs(const LoopNest& nest, const LoopNest& pieces);

/// Loops of one iteration domain as one; `second` runs after `first` or is independent of it. They have one domain if an access
/// that both have, by way of every axis of it, maps the axes of one to the other's: kept axes to kept ones, reduced axes to
/// reduced ones. What `first` stores and `second` reads is read at the point where it is stored: there the stored value takes
/// the place of the load. `temporaries` are values that nobody else reads, which are then not stored. Pieces that write parts of
/// one tensor are independent.
///
/// Nothing where the loops have other domains, where `second` reads such a value at other points or overwrites what `first`
/// knows, and for scans.
std::optional<JoinedLoops> joinLoops(const LoopNest& first, const LoopNest& second, const std::set<int>& temporaries);

}  // namespace lowering
