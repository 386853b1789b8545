#include "lowering/analysis/loop_nest.h"

#include <utility>

namespace lowering {

LoopNest analyze(ir::Loops loops, const ir::Target& target) {
  std::optional<ReductionNest> reduction = reductionNestOf(loops);
  IterationDomain domain = reduction ? IterationDomain(loops, *reduction) : IterationDomain(loops);
  std::optional<MixedOrderReduction> mixedOrder;
  if (reduction && target.backend == ir::Backend::Cuda) mixedOrder = mixedOrderReductionOf(loops, *reduction, domain, target);
  std::optional<Transposition> transposition;
  if (!reduction) transposition = transpositionOf(loops, domain);
  return {std::move(loops), std::move(reduction), std::move(domain), std::move(mixedOrder), std::move(transposition)};
}

std::vector<LoopNest> analyze(std::vector<ir::Loops> all, const ir::Target& target) {
  std::vector<LoopNest> nests;
  for (ir::Loops& loops : all) nests.push_back(analyze(std::move(loops), target));
  return nests;
}

LoopNests analyzeJointly(std::vector<LoopNest> all, const ir::Target& target) {
  std::optional<MixedOrderReduction> mixedOrder;
  if (all.size() == 2 && target.backend == ir::Backend::Cuda)
    mixedOrder = mixedOrderReductionOf({all.front().loops, all.back().loops}, target);
  return {std::move(all), std::move(mixedOrder)};
}

}  // namespace lowering
