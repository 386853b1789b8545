#pragma once

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// How the elements of loops without reductions are laid over threads of a GPU.
struct PointwiseDraft {
  int lanes = 1;        ///< elements of a vector
  bool isFlat = false;  ///< whether vectors may run over the end of a row
  int block = 128;      ///< threads of a CTA
  int steps = 1;        ///< vectors of a thread, `block` of them apart
  int parts = 1;        ///< or of each of so many equal parts of all vectors one, at one place inside its part

  bool operator==(const PointwiseDraft&) const = default;
};

/// The draft of a nest for a GPU, by rules that were measured on sm_90: one thread a vector of 16 bytes, one vector a
/// thread, no loop.
PointwiseDraft draftPointwise(const LoopNest& nest, const ir::Target& target);

/// The draft as a schedule: a thread's vectors are `block` of them apart.
LayoutSchedule scheduleOf(const PointwiseDraft& draft, const IterationDomain& domain);

}  // namespace lowering
