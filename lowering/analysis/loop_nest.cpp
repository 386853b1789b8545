#include "lowering/analysis/loop_nest.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace lowering {

bool LoopNest::isPiece() const {
  return std::any_of(loops.buffers.begin(), loops.buffers.end(), [](const ir::Buffer& buffer) { return buffer.isPart; });
}

int64_t touchedBytes(const std::vector<const LoopNest*>& nests) {
  std::map<int, int64_t> bytes;  // by value
  for (const LoopNest* nest : nests)
    for (const ir::Buffer& buffer : nest->loops.buffers) bytes[buffer.value] = buffer.type.bytesTouched();
  const auto add = [](int64_t sum, const auto& one) { return sum + one.second; };
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0}, add);
}

int64_t sharedBytes(const ir::Loops& a, const ir::Loops& b) {
  int64_t bytes = 0;
  for (const ir::Buffer& x : a.buffers)
    for (const ir::Buffer& y : b.buffers)
      if (x.value == y.value && x.isRead && y.isRead) bytes += x.type.bytesTouched();
  return bytes;
}

DependenceGraph dependencesOf(const std::vector<LoopNest>& all) {
  std::vector<std::vector<ir::Buffer>> buffers;
  for (const LoopNest& nest : all) buffers.push_back(nest.loops.buffers);
  return DependenceGraph(buffers);
}

LoopNest analyze(ir::Loops loops, const ir::Target& target) {
  std::optional<ReductionNest> reduction = reductionNestOf(loops);
  IterationDomain domain = reduction ? IterationDomain(loops, *reduction) : IterationDomain(loops);
  std::optional<MixedOrderReduction> mixedOrder;
  if (reduction && target.backend == ir::Backend::Cuda) mixedOrder = mixedOrderReductionOf(loops, *reduction, domain, target);
  std::optional<Transposition> transposition;
  if (!reduction)
    transposition = transpositionOf(loops, domain);
  else if (target.backend == ir::Backend::Cuda)
    transposition = transpositionOf(loops, *reduction);
  return {std::move(loops), std::move(reduction), std::move(domain), std::move(mixedOrder), std::move(transposition)};
}

std::vector<LoopNest> analyze(std::vector<ir::Loops> all, const ir::Target& target) {
  std::vector<LoopNest> nests;
  for (ir::Loops& loops : all) nests.push_back(analyze(std::move(loops), target));
  return nests;
}

LoopNests analyzeJointly(std::vector<LoopNest> all, const ir::Target& target) {
  LoopNests nests{std::move(all), {}};
  if (target.backend != ir::Backend::Cuda) return nests;
  const DependenceGraph graph = dependencesOf(nests.all);
  for (std::size_t first = 0; first < nests.all.size(); ++first) {
    for (std::size_t second = first + 1; second < nests.all.size(); ++second) {
      const LoopNest &one = nests.all[first], &other = nests.all[second];
      const bool areRowsAndColumns =
          one.hasReductions() && other.hasReductions() && one.domain.runsAlongElements() != other.domain.runsAlongElements();
      const int64_t shared = areRowsAndColumns && graph.areIndependent(first, second) ? sharedBytes(one.loops, other.loops) : 0;
      if (shared == 0) continue;
      std::optional<MixedOrderReduction> matrix = mixedOrderReductionOf({one.loops, other.loops}, target);
      if (matrix) nests.mixedOrders.push_back({first, second, *std::move(matrix), shared});
    }
  }
  std::stable_sort(nests.mixedOrders.begin(), nests.mixedOrders.end(),
                   [](const MixedOrderPair& a, const MixedOrderPair& b) { return a.sharedBytes > b.sharedBytes; });
  return nests;
}

}  // namespace lowering
