#pragma once

#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// What loop nests take, as far as no schedule changes it.
struct Cost {
  double bytes = 0;       ///< moved from and to memory, each distinct element of a nest's tensors once
  double loads = 0;       ///< once for every point of the axes that each depends on
  double operations = 0;  ///< with what was loaded, combinations of reductions among them, counted alike
  double time = 0;        ///< in bytes that memory moves meanwhile: a nest moves and computes at once

  Cost& operator+=(const Cost& other);
};

/// Nests that do not need each other start at once; nests of a mixed-order pair read once what both need.
Cost costOf(const LoopNests& nests, const ir::Target& target);

}  // namespace lowering
