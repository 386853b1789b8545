#pragma once

#include "lowering/heuristics/rows.h"
#include "lowering/schedule/cuda/staged_tiles.h"
#include "lowering/schedule/layout.h"

namespace lowering {

/// How the points of a nest are laid over the machine, and what threads keep of them. Where a reduced dim is bound says how it
/// is reduced: lanes and loops by a thread alone, threads and CTAs of a cluster by exchange, CTAs of the grid by the last of
/// them.
struct ReductionSchedule {
  Layout layout;              ///< its dims are kept or reduced as a whole
  Hold hold = Hold::Nowhere;  ///< where elements are held between traversals
  bool readsAhead = false;    ///< whether a thread that holds elements in registers reads all of them before the first traversal
  bool keepsFunctions = false;  ///< RowSchedule::keepsFunctions
  bool hasCover = false;        ///< RowSchedule::hasCover
  Staging staging = Staging::None;
  bool isPersistent = false;  ///< Launch::isPersistent
  int resident = 0;           ///< Launch::resident
};

ir::Kernel applyReduction(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                          const ir::Target& target, const ReductionSchedule& schedule);

}  // namespace lowering
