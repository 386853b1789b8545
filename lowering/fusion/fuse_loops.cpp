#include "lowering/fusion/fuse_loops.h"

#include <map>
#include <set>

#include "lowering/fusion/join_loops.h"
#include "lowering/heuristics/persistent.h"

namespace lowering {
namespace {

/// Whether loops that two others became have a schedule that reads once what both need. Reductions along one axis are computed by
/// the same traversals. Elements are stored by these as well where a GPU takes rows, or columns of a large matrix: other columns,
/// and rows on a CPU, are split over more CTAs or tasks if only results are stored.
bool hasSchedule(const LoopNest& joined, const LoopNest& first, const LoopNest& second, const ir::Target& target) {
  if (!joined.reduction) return true;
  const auto runsAlongElements = [](const LoopNest& nest) { return !nest.reduction || nest.domain.runsAlongElements(); };
  if (joined.reduction->elementStores.empty())
    return joined.domain.runsAlongElements() == first.domain.runsAlongElements() &&
           joined.domain.runsAlongElements() == second.domain.runsAlongElements();
  if (joined.mixedOrder && !joined.domain.runsAlongElements())
    return choosePersistentColumns(*joined.mixedOrder, target).has_value();
  return target.backend == ir::Backend::Cuda && runsAlongElements(joined) && runsAlongElements(first) &&
         runsAlongElements(second);
}

class Fuser {
 public:
  Fuser(std::vector<LoopNest> all, std::size_t firstIntermediate, const ir::Target& target)
      : nests_(std::move(all)),
        firstIntermediate_(static_cast<int>(firstIntermediate)),
        target_(target),
        graph_(dependencesOf(nests_)) {}

  std::vector<LoopNest> fuse() {
    while (fusePair()) {
    }
    std::vector<LoopNest> fused;
    for (const std::size_t nest : graph_.order()) fused.push_back(std::move(nests_[nest]));
    return fused;
  }

 private:
  /// Fuses the pair that saves most bytes, the earliest one of several; false if no pair saves any.
  bool fusePair() {
    const std::vector<std::size_t> order = graph_.order();
    std::optional<LoopNest> best;
    std::pair<std::size_t, std::size_t> pair;
    int64_t most = 0;
    for (auto first = order.begin(); first != order.end(); ++first) {
      for (auto second = first + 1; second != order.end(); ++second) {
        if (!graph_.canMerge(*first, *second)) continue;
        std::optional<JoinedLoops> joined = join(*first, *second);
        if (!joined || joined->savedBytes <= most) continue;
        LoopNest nest = analyze(std::move(joined->loops), target_);
        if (!hasSchedule(nest, nests_[*first], nests_[*second], target_)) continue;
        most = joined->savedBytes;
        best = std::move(nest);
        pair = {*first, *second};
      }
    }
    if (!best) return false;
    graph_.merge(pair.first, pair.second);
    nests_[pair.first] = *std::move(best);
    return true;
  }

  std::optional<JoinedLoops> join(std::size_t first, std::size_t second) const {
    const LoopNest &one = nests_[first], &other = nests_[second];
    const std::set<int> temporaries = temporariesOf(first, second);
    if (std::optional<ir::Loops> split = splitAs(one, other))
      return joinLoops(analyze(*std::move(split), target_), other, temporaries);
    if (std::optional<ir::Loops> split = splitAs(other, one))
      return joinLoops(one, analyze(*std::move(split), target_), temporaries);
    return joinLoops(one, other, temporaries);
  }

  /// Intermediates that only these two loops read or write.
  std::set<int> temporariesOf(std::size_t first, std::size_t second) const {
    std::set<int> values;
    for (const ir::Buffer& buffer : nests_[first].loops.buffers)
      if (buffer.value >= firstIntermediate_) values.insert(buffer.value);
    for (const std::size_t other : graph_.order()) {
      if (other == first || other == second) continue;
      for (const ir::Buffer& buffer : nests_[other].loops.buffers) values.erase(buffer.value);
    }
    return values;
  }

  std::vector<LoopNest> nests_;
  const int firstIntermediate_;
  const ir::Target& target_;
  DependenceGraph graph_;
};

/// Gives the intermediates that are left consecutive numbers, in their order.
void renumberIntermediates(std::vector<LoopNest>& all, std::size_t firstIntermediate) {
  std::map<int, int> numbers;
  const auto isIntermediate = [&](const ir::Buffer& buffer) { return buffer.value >= static_cast<int>(firstIntermediate); };
  for (const LoopNest& nest : all)
    for (const ir::Buffer& buffer : nest.loops.buffers)
      if (isIntermediate(buffer)) numbers[buffer.value] = 0;
  auto next = static_cast<int>(firstIntermediate);
  for (auto& [_, number] : numbers) number = next++;
  for (LoopNest& nest : all)
    for (ir::Buffer& buffer : nest.loops.buffers)
      if (isIntermediate(buffer)) buffer.value = numbers.at(buffer.value);
}

}  // namespace

std::vector<LoopNest> fuseLoops(std::vector<LoopNest> all, std::size_t firstIntermediate, const ir::Target& target) {
  std::vector<LoopNest> fused = Fuser(std::move(all), firstIntermediate, target).fuse();
  renumberIntermediates(fused, firstIntermediate);
  return fused;
}

}  // namespace lowering
