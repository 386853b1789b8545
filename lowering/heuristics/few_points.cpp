#include "lowering/heuristics/few_points.h"

#include <algorithm>
#include <limits>

#include "ir/walk.h"
#include "lowering/heuristics/limits.h"

namespace lowering {

int mostLanes(const LoopNest& nest, const ir::Target& target) {
  const std::vector<const ir::Expr*> nodes = ir::postorder(ir::storedValues(nest.loops.stores));
  const auto takesLong = [](const ir::Expr* node) { return node->op == ir::Op::Sin || node->op == ir::Op::Cos; };
  if (std::none_of(nodes.begin(), nodes.end(), takesLong)) return std::numeric_limits<int>::max();
  const int64_t threads = int64_t{target.processors} * limits::pointwise::slowThreads;
  int lanes = 1;
  while (nest.domain.numel() >= 2 * lanes * threads && lanes < target.vectorBytes) lanes *= 2;
  return lanes;
}

}  // namespace lowering
