#pragma once

#include <vector>

#include "ir/loops.h"
#include "ir/target.h"

namespace lowering {

/// Loops whose short sums, or other reductions, are written out where the others make a transposition for a GPU: a sum over the
/// few heads of queries that share a head of keys, of a tensor that runs along another axis than the result.
std::vector<ir::Loops> unrollSums(std::vector<ir::Loops> all, const ir::Target& target);

}  // namespace lowering
