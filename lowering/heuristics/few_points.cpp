#include "lowering/heuristics/few_points.h"

#include <algorithm>
#include <limits>

#include "ir/walk.h"
#include "lowering/heuristics/limits.h"

namespace lowering {
namespace {

/// Whether the lanes of a vector take long one after another: functions, or, without reductions, loads of each lane by itself.
bool takesLong(const LoopNest& nest) {
  const std::vector<const ir::Expr*> nodes = ir::postorder(ir::storedValues(nest.loops.stores));
  const auto isSlow = [](const ir::Expr* node) {
    return node->op == ir::Op::Sin || node->op == ir::Op::Cos || node->op == ir::Op::Tanh || node->op == ir::Op::Erf;
  };
  const auto isLaneByLane = [&](const Access& load) {
    return !nest.domain.isInnerContiguous(load) && !nest.domain.isInnerUniform(load);
  };
  return std::any_of(nodes.begin(), nodes.end(), isSlow) ||
         (!nest.reduction && std::any_of(nest.domain.loads().begin(), nest.domain.loads().end(), isLaneByLane));
}

}  // namespace

int mostLanes(const LoopNest& nest, const ir::Target& target) {
  if (!takesLong(nest)) return std::numeric_limits<int>::max();
  const int64_t threads = int64_t{target.processors} * limits::pointwise::slowThreads;
  int lanes = 1;
  while (nest.domain.numel() >= 2 * lanes * threads && lanes < target.vectorBytes) lanes *= 2;
  return lanes;
}

}  // namespace lowering
