#pragma once

#include <cstdint>
#include <vector>

#include "codegen/plan.h"

namespace codegen {

/// Memories begin at multiples of so many bytes, and no two of them share as many.
inline constexpr int64_t placeBytes = 256;

/// Memory that steps need: from the first one to the last one, both included.
struct Need {
  int first = 0, last = 0;
  int64_t bytes = 0;
};

/// Places in an arena, which is there from the first step to the last.
struct Placement {
  int64_t bytes = 0;             ///< of the arena
  std::vector<int64_t> offsets;  ///< by need, in bytes behind the arena's start; -1 where it has no place
};
/// What takes memory at a step, beside needs that are to have places.
struct Others {
  int64_t bytes = 0;    ///< that are known
  int64_t scratch = 0;  ///< that a call of ATen's may take besides while it runs
};
/// Places for needs beside `others`, by step. No two needs of the same step share bytes. The needs of the step that has most come
/// first, larger ones before others, and each has the smallest gap that it fits into. The arena does not raise the most that is
/// taken at a time, whatever scratch there is: where it would, the needs of fewest steps have no place, and are to be allocated
/// and freed as they come and go.
Placement place(const std::vector<Need>& needs, const std::vector<Others>& others);

/// Whether a step writes what it makes into memory that it is given: a launch does, and a product of matrices.
bool takesMemory(const Step& step, const ir::Graph& graph);

/// Places for the memories that such steps of a network's plan are the first to need; outputs have memory of their own, as have
/// results of ATen's.
Memory planMemory(const Plan& plan);

}  // namespace codegen
