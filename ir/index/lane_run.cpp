#include "ir/index/lane_run.h"

#include <algorithm>

#include "ir/index/division.h"
#include "ir/walk.h"

namespace ir {
namespace {

/// Whether an expression may have another value for every lane. A contiguous load reads the next element for each.
bool varies(const Expr* expr, const Expr* lane) {
  const std::vector<const Expr*> nodes = postorder({expr});
  return std::any_of(nodes.begin(), nodes.end(), [&](const Expr* node) {
    return node == lane || (node->op == Op::Load && node->load().mode == LoadMode::Contiguous);
  });
}

}  // namespace

std::optional<LaneRun> laneRun(ExprPool& pool, const Expr* index, const Expr* lane, int64_t multiple) {
  Sums sums(pool);
  const Sum sum = sums.of(index);
  LaneRun run{nullptr, (sum.constant % multiple + multiple) % multiple, 0, multiple};
  for (const Sum::Term& term : sum.terms) {
    if (term.atom == lane) {
      run.step = term.coefficient;
    } else if (term.coefficient % multiple != 0 || varies(term.atom, lane)) {
      return std::nullopt;
    }
  }
  if (run.step < 1) return std::nullopt;
  Sum first = sum.without(lane);
  first.constant -= run.begin;
  run.first = spell(pool, first);
  return run;
}

std::optional<int64_t> laneStep(ExprPool& pool, const Expr* index, const Expr* lane) {
  Sums sums(pool);
  int64_t step = 0;
  for (const Sum::Term& term : sums.of(index).terms) {
    if (term.atom == lane)
      step = term.coefficient;
    else if (varies(term.atom, lane))
      return std::nullopt;
  }
  return step;
}

}  // namespace ir
