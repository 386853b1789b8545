#pragma once

#include <cstdint>
#include <vector>

#include "ir/kernel.h"
#include "ir/loops.h"
#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// A kernel that takes lists of tensors, with what it was made of.
struct ListKernel {
  LoopNest nest;  ///< over as many elements as a tensor of the list has at most, or more
  Schedule schedule;
  ir::Kernel kernel;
};

/// One launch of flattened loops for tensors of these sizes; `loops` are over listedElements of them. `params` are the parameters
/// of all, tensor by tensor.
ListKernel applyToList(ir::Loops loops, const std::vector<int64_t>& elements, std::vector<ir::Param> params,
                       const ir::Target& target);
/// Elements that the loops of a list run over: no fewer than the largest tensor has, and whole vectors and CTAs.
int64_t listedElements(const std::vector<int64_t>& elements);

}  // namespace lowering
