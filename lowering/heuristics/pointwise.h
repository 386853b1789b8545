#pragma once

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"

namespace lowering {

/// How the elements of loops without reductions are laid over threads of a GPU.
struct PointwiseSchedule {
  int lanes = 1;             ///< elements of a vector
  bool isFlat = false;       ///< whether vectors may run over the end of a row
  int block = 128;           ///< threads of a CTA
  int steps = 1;             ///< vectors of a thread, `block` of them apart
  bool isBackwards = false;  ///< whether CTAs start with the last elements

  bool operator==(const PointwiseSchedule&) const = default;
};

/// The schedule of a domain for a GPU, by rules that were measured on sm_90: one thread a vector of 16 bytes, one vector a
/// thread, no loop.
PointwiseSchedule choosePointwiseSchedule(const IterationDomain& domain, const ir::Target& target);

}  // namespace lowering
