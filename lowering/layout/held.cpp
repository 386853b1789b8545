#include "lowering/layout/held.h"

#include <algorithm>

#include "lowering/analysis/reuse.h"
#include "lowering/layout/check_tasks.h"

namespace lowering {
namespace {

std::vector<HeldArray> functionsOfRows(const ReductionNest& nest, const IterationDomain& domain, const TaskSchedule& schedule) {
  std::vector<HeldArray> arrays;
  const bool isOneRun = domain.numel(domain.elementDims(), domain.innermost()) == 1;
  if (!isOneRun || schedule.splits > 1 || schedule.rows > 1) return arrays;
  for (const TraversalValue& function : repeatedFunctions(nest))
    arrays.push_back({function.value, function.traversal, domain.inner().extent});
  return arrays;
}

std::vector<HeldArray> loadsOfColumns(const ReductionNest& nest, const IterationDomain& domain, const TaskSchedule& schedule) {
  std::vector<HeldArray> arrays;
  if (schedule.splits > 1 || nest.isReadOnce()) return arrays;
  const int64_t elements = schedule.tile * schedule.lanes * domain.numel(domain.elementDims(), domain.dims().size());
  const std::set<const ir::Expr*> first = loadsOf(nest, 0);
  for (const Access& load : domain.loads())
    if (runsAcross(domain, load) && domain.moves(load, domain.elementDims() - 1, domain.elementDims()) &&
        first.contains(load.node))
      arrays.push_back({load.node, 0, elements});
  return arrays;
}

}  // namespace

std::vector<HeldArray> holdable(const ReductionNest& nest, const IterationDomain& domain, const TaskSchedule& schedule) {
  return domain.runsAlongElements() ? functionsOfRows(nest, domain, schedule) : loadsOfColumns(nest, domain, schedule);
}

std::vector<HeldArray> heldArrays(const ReductionNest& nest, const IterationDomain& domain, const TaskSchedule& schedule) {
  std::vector<HeldArray> arrays = holdable(nest, domain, schedule);
  std::erase_if(arrays, [&](const HeldArray& array) { return array.bytes() > schedule.heldBytes; });
  return arrays;
}

int64_t largestWithin(const std::vector<HeldArray>& arrays, int64_t limit) {
  int64_t largest = 0;
  for (const HeldArray& array : arrays)
    if (array.bytes() <= limit) largest = std::max(largest, array.bytes());
  return largest;
}

}  // namespace lowering
