#include "ir/index/lane_run.h"

#include "ir/index/division.h"
#include "ir/walk.h"

namespace ir {

std::optional<LaneRun> laneRun(ExprPool& pool, const Expr* index, const Expr* lane, int64_t multiple) {
  Sums sums(pool);
  const Sum sum = sums.of(index);
  LaneRun run{nullptr, (sum.constant % multiple + multiple) % multiple, 0, multiple};
  for (const Sum::Term& term : sum.terms) {
    if (term.atom == lane) {
      run.step = term.coefficient;
    } else if (term.coefficient % multiple != 0 || dependsOn(term.atom, lane)) {
      return std::nullopt;
    }
  }
  if (run.step < 1) return std::nullopt;
  Sum first = sum.without(lane);
  first.constant -= run.begin;
  run.first = spell(pool, first);
  return run;
}

}  // namespace ir
