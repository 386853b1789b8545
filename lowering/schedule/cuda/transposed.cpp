// Loops whose tensors are contiguous along different axes: square tiles in shared memory.
#include "lowering/heuristics/transposed.h"

#include "ir/error.h"
#include "ir/index/ceil_div.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cuda/reduction.h"

namespace lowering {

/// Neighbouring threads take neighbouring vectors along the store's axis.
ir::Kernel applyTransposed(const ir::Loops& loops, const Transposition& transposition, const ir::Target& target,
                           const TransposedSchedule& schedule) {
  ir::require(schedule.along % schedule.lanes == 0 && schedule.block % schedule.threadsAlong() == 0 &&
                  schedule.across % schedule.threadsAcross() == 0,
              "{} has a transposed schedule whose threads do not divide its tile", loops.name);
  const IterationDomain& domain = transposition.domain;
  const std::size_t across = domain.elementDims(), along = across - 1;
  const auto extent = [&](std::size_t d) { return domain.dims()[d].extent; };
  ReductionSchedule how;
  how.staging = Staging::Crossing;
  Layout& layout = how.layout;
  layout.laneDim = along;
  for (std::size_t d = 0; d < along; ++d) {
    layout.dims.push_back({d, d + 1, extent(d)});
    layout.parts.push_back({d, Bind::Grid, extent(d), 1});
  }
  layout.dims.push_back({along, across, extent(along) / schedule.lanes, schedule.lanes});
  layout.dims.push_back({across, across + 1, extent(across)});
  layout.parts.insert(layout.parts.end(), {{across, Bind::Grid, ceilDiv(extent(across), schedule.across), schedule.across},
                                           {along, Bind::Grid, ceilDiv(extent(along), schedule.along), schedule.threadsAlong()},
                                           {across, Bind::Unrolled, schedule.steps()},
                                           {across, Bind::Thread, schedule.threadsAcross()},
                                           {along, Bind::Thread, schedule.threadsAlong()}});
  return applyReduction(loops, transposition.nest, domain, target, how);
}

}  // namespace lowering
