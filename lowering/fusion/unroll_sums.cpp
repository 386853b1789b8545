#include "lowering/fusion/unroll_sums.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/walk.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/fusion/edit_loops.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/transposed.h"

namespace lowering {
namespace {

using ir::Expr;

/// The axes along which loops reduce.
std::set<const Expr*> reducedAxes(const ir::Loops& loops) {
  std::set<const Expr*> axes;
  for (const Expr* node : ir::postorder(ir::rootsOf(loops.stores)))
    if (node->op == ir::Op::Reduce) axes.insert(node->src.begin() + 1, node->src.end());
  return axes;
}

/// Whether so few elements are reduced that they can be written out.
bool areFew(const ir::Loops& loops) {
  const std::vector<const Expr*> nodes = ir::postorder(ir::rootsOf(loops.stores));
  return std::all_of(nodes.begin(), nodes.end(), [](const Expr* node) {
    if (node->op != ir::Op::Reduce) return node->op != ir::Op::Scan;
    int64_t terms = 1;
    for (auto axis = node->src.begin() + 1; axis != node->src.end(); ++axis) terms *= (*axis)->axis().extent;
    return terms <= limits::transposed::unrolledTerms;
  });
}

bool isTransposed(const ir::Loops& loops, const ir::Target& target) {
  const std::optional<Transposition> found = analyze(loops, target).transposition;
  return found && draftTransposition(*found, target);
}

}  // namespace

std::vector<ir::Loops> unrollSums(std::vector<ir::Loops> all, const ir::Target& target) {
  if (target.backend != ir::Backend::Cuda) return all;
  for (ir::Loops& loops : all) {
    const std::set<const Expr*> axes = reducedAxes(loops);
    if (axes.empty() || !areFew(loops)) continue;
    ir::Loops unrolled = loops;
    for (const Expr* axis : axes) unrollAxis(unrolled, axis);
    if (isTransposed(unrolled, target)) loops = std::move(unrolled);
  }
  return all;
}

}  // namespace lowering
