// Reductions of tensors that lie in different orders: tiles of whole rows in shared memory.
#include "lowering/heuristics/staged.h"

#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cuda/reduction.h"

namespace lowering {

/// A tile's rows lie over groups of threads, which share their elements.
ir::Kernel applyStaged(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                       const StagedSchedule& schedule) {
  const std::size_t kept = domain.elementDims();
  const int64_t elements = domain.numel(kept, domain.dims().size()), steps = ceilDiv(elements, schedule.group);
  const int64_t unrolled = schedule.isHeld ? steps : std::min(steps, limits::staged::elementsAtOnce);
  ReductionSchedule how;
  how.hold = schedule.isHeld ? Hold::Registers : Hold::Nowhere;
  how.keepsFunctions = schedule.isHeld;
  how.staging = Staging::All;
  Layout& layout = how.layout;
  layout.laneDim = kept - 1;
  layout.block = schedule.block;
  for (std::size_t d = 0; d < kept; ++d) {
    const int lanes = d == layout.laneDim ? schedule.lanes : 1;
    layout.dims.push_back({d, d + 1, ceilDiv(domain.dims()[d].extent, lanes), lanes});
    layout.parts.push_back({d, Bind::Grid, schedule.tiles(domain, d), schedule.tile[d] / lanes});
  }
  layout.dims.push_back({kept, domain.dims().size(), elements});
  for (std::size_t d = 0; d < kept; ++d) {
    const bool isLast = d == layout.laneDim;
    layout.parts.push_back({d, Bind::Thread, schedule.tile[d] / (isLast ? schedule.lanes : 1), 0, isLast ? schedule.group : 0});
  }
  layout.parts.insert(
      layout.parts.end(),
      {{kept, Bind::Serial, ceilDiv(steps, unrolled)}, {kept, Bind::Unrolled, unrolled}, {kept, Bind::Thread, schedule.group}});
  return applyReduction(loops, nest, domain, target, how);
}

}  // namespace lowering
