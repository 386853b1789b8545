#include <algorithm>
#include <set>

#include "ir/index/ceil_div.h"
#include "ir/walk.h"
#include "lowering/analysis/ownership.h"
#include "lowering/heuristics/cpu/rules.h"
#include "lowering/heuristics/cpu/traffic.h"
#include "lowering/heuristics/limits.h"
#include "lowering/layout/alignment.h"

namespace lowering {
namespace {

using ir::Expr;

bool isRoot(ir::Op op) { return op == ir::Op::Sqrt || op == ir::Op::Rsqrt || op == ir::Op::Div; }

/// Whether rows share what takes long to compute, such as a root for each column: a vector of it then serves all.
bool sharesColumns(const ir::Loops& loops, const IterationDomain& domain) {
  std::set<const Expr*> ofColumns(domain.inner().axes.begin(), domain.inner().axes.end()), ofRows;
  for (std::size_t d = 0; d < domain.innermost(); ++d) ofRows.insert(domain.dims()[d].axes.begin(), domain.dims()[d].axes.end());
  bool found = false;
  for (const Expr* node : ir::postorder(ir::storedValues(loops.stores))) {
    const auto dependsOn = [&](const std::set<const Expr*>& nodes) {
      return std::any_of(node->src.begin(), node->src.end(), [&](const Expr* x) { return nodes.contains(x); });
    };
    if (dependsOn(ofColumns)) ofColumns.insert(node);
    if (dependsOn(ofRows)) ofRows.insert(node);
    found = found || ((ir::isFunction(node->op) || isRoot(node->op)) && ofColumns.contains(node) && !ofRows.contains(node));
  }
  return found;
}

/// Elements of the largest stored dtype that one register holds. In-place loops take a quarter longer with two registers at
/// once, whose elements lie in two cache lines.
int oneRegister(const IterationDomain& domain, const ir::Target& target) {
  int64_t largest = 1;
  for (const Access& store : domain.stores()) largest = std::max(largest, store.elementBytes);
  return static_cast<int>(target.vectorBytes / largest);
}

/// Tasks that accumulate each in elements of their own: a task has all rows that may meet in one element, and, where these are
/// few, a tile of their columns. As many values in turn cost less than elements that are exchanged one by one.
void keepApart(TaskSchedule& schedule, const IterationDomain& domain, const ir::Target& target) {
  const std::vector<bool> owned = ownedDims(domain);
  const std::size_t inner = domain.innermost();
  const std::size_t shared = std::min(inner, firstShared(owned));
  const int64_t vectors = ceilDiv(domain.inner().extent, schedule.lanes), blocks = domain.numel(0, shared);
  schedule.rows = shared == inner ? 1 : domain.numel(shared, inner);
  if (!owned[inner])
    schedule.tile = vectors;
  else if (schedule.rows > 1)
    schedule.tile = ceilDiv(vectors, std::min(vectors, std::max<int64_t>(1, ceilDiv(int64_t{target.processors}, blocks))));
}

}  // namespace

/// Blocks of a long row, whole rows, or blocks of the flat domain where rows are very short.
TaskSchedule choosePointwiseTasks(const LoopNest& all, const ir::Target& target) {
  const auto& [loops, reduction, domain, mixedOrder, transposition] = all;
  TaskSchedule schedule;
  schedule.isFlat = !domain.accumulates() && domain.dims().size() > 1 && domain.inner().extent < limits::cpu::shortestRow;
  const int64_t elements = schedule.isFlat ? domain.numel() : domain.inner().extent, rows = domain.numel() / elements;
  schedule.lanes = cpuLanes(loops, domain, domain.innermost(), elements, target);
  if (domain.isInPlace()) schedule.lanes = std::min(schedule.lanes, oneRegister(domain, target));
  const int64_t block = std::min(elements, limits::cpu::rowBlock);
  schedule.tile = ceilDiv(block, schedule.lanes);
  if (!schedule.isFlat && rows > 1 && sharesColumns(loops, domain)) {
    schedule.rows = std::min(rows, limits::cpu::hoistingRows);
    while (rows % schedule.rows != 0) --schedule.rows;
  }
  schedule.hasHead = !schedule.isFlat && !domain.accumulates() && schedule.rows == 1 &&
                     wantsHead(domain, domain.stores(), block, schedule.lanes, target);
  if (domain.accumulates()) keepApart(schedule, domain, target);
  schedule.grain = cpuGrain(loops, domain, std::min(elements, schedule.tile * schedule.lanes) * schedule.rows);
  return schedule;
}

}  // namespace lowering
