#pragma once

#include <map>

#include "ir/kernel.h"
#include "lowering/domain.h"

namespace lowering {

/// How the lanes of a vector lie in the domain.
struct LanePlace {
  const ir::Expr* lane = nullptr;  ///< the Lanes axis
  Position base;                   ///< of lane 0
  Position each;                   ///< of the lane at hand; depends on `lane`
  const ir::Expr* flat = nullptr;  ///< number of lane 0 in the flat domain; lanes may then run over the end of a row
  int alignment = 1;               ///< elements that contiguous accesses must start at multiples of
};

/// The stores of the loops for the lanes of one vector: accesses that run along the lanes become contiguous, those that do
/// not move with them are read once, others lane by lane. `overrides` gives loads that are already known.
ir::Lanes vectorize(const ir::Loops& loops, const Domain& domain, const LanePlace& place, const ir::Expr* active,
                    const std::map<const ir::Expr*, const ir::Expr*>& overrides = {});

/// Parameters in buffer order, aligned to `alignment` bytes.
std::vector<ir::Param> parameters(const ir::Loops& loops, int alignment);

/// Whether every result is rounded to 11 bits or fewer (Kernel::relaxedMath).
bool allowsRelaxedMath(const ir::Loops& loops);

/// Bytes of the smallest and largest element among accesses that run along the inner dim.
struct ElementRange {
  int64_t smallest, largest;
};
ElementRange contiguousElements(const Domain& domain);

}  // namespace lowering
