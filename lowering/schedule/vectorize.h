#pragma once

#include <map>

#include "ir/kernel.h"
#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"

namespace lowering {

/// How the lanes of a vector lie in the domain.
struct LanePlace {
  const ir::Expr* lane = nullptr;  ///< the Lanes axis
  Position base;                   ///< of lane 0
  Position each;                   ///< of the lane at hand; depends on `lane`
  const ir::Expr* flat = nullptr;  ///< number of lane 0 in the flat domain; lanes may then run over the end of a row
  std::size_t dim = 0;             ///< the dim that lanes run along
  bool isScattered = false;        ///< whether lanes do not run along it one by one, so that no access is contiguous
  int alignment = 1;               ///< elements that contiguous accesses must start at multiples of
};

/// The load that stands for each load of the domain: loads that run along the lanes become contiguous, loads that do not move
/// with them are read once, others lane by lane. `bindings` replace loads that are read already.
LoadMap readLanes(ir::ExprPool& pool, const IterationDomain& domain, const LanePlace& place, LoadMap bindings = {});
/// A store of the domain at a place. Its value is given; `loads` replace the loads in its offset.
ir::Store storeLanes(ir::ExprPool& pool, const IterationDomain& domain, const Access& store, const LanePlace& place,
                     const ir::Expr* value, const LoadMap& loads);
/// Lanes whose stores that accumulate do so atomically: as vectors where the target can, else one by one.
ir::Lanes atomic(ir::ExprPool& pool, ir::Lanes lanes, const ir::Target& target);

/// The stores of loops without reductions for the lanes of one vector.
ir::Lanes vectorize(const ir::Loops& loops, const IterationDomain& domain, const LanePlace& place, const ir::Expr* active,
                    LoadMap bindings = {});

/// Parameters in buffer order, as much aligned as a target's kernels make use of: ATen allocates in larger pieces.
std::vector<ir::Param> parameters(const ir::Loops& loops, const ir::Target& target);

/// Whether every result is rounded to 11 bits or fewer (Math::Relaxed).
bool allowsRelaxedMath(const ir::Loops& loops);

}  // namespace lowering
