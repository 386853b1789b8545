#include "lowering/fusion/share_tiles.h"

#include <optional>
#include <utility>

#include "lowering/fusion/edit_loops.h"
#include "lowering/fusion/join_loops.h"
#include "lowering/fusion/split_reduction.h"
#include "lowering/heuristics/transposed.h"

namespace lowering {
namespace {

/// A transposition that leaves partial sums, and what adds them.
struct SharedTiles {
  LoopNest tiles, total;
};

/// The loops of a transposition, with the axis that crosses its first store in two: of tiles, and inside of one.
LoopNest inTiles(const LoopNest& transposition, int64_t length, const ir::Target& target) {
  ir::Loops loops = transposition.loops;
  const Dim& across = transposition.transposition->domain.inner();
  if (across.extent > length) splitAxis(loops, across.axes.back(), {across.extent / length, length});
  return analyze(std::move(loops), target);
}

std::optional<SharedTiles> shareTiles(const LoopNest& transposition, const LoopNest& sum, ReductionSplit split, int firstValue,
                                      const ir::Target& target) {
  auto [partial, total] = splitInTwo(sum.loops, split, firstValue);
  std::optional<JoinedLoops> joined =
      joinLoops(inTiles(transposition, split.length, target), analyze(std::move(partial), target), {});
  if (!joined) return std::nullopt;
  LoopNest tiles = analyze(std::move(joined->loops), target);
  if (!tiles.transposition || !draftTransposition(*tiles.transposition, target)) return std::nullopt;
  return SharedTiles{std::move(tiles), analyze(std::move(total), target)};
}

/// A transposition and a sum that may share tiles.
struct Pair {
  std::size_t transposition, sum;
  ReductionSplit split;
};
std::vector<Pair> pairsOf(const std::vector<LoopNest>& all, const ir::Target& target) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].transposition) continue;
    for (std::size_t sum = 0; sum < all.size(); ++sum)
      if (const auto split = chooseSplitBeside(all[i], all[sum], target)) pairs.push_back({i, sum, *split});
  }
  return pairs;
}

/// With the first pair that can share tiles as such; false where there is none.
bool sharePair(std::vector<LoopNest>& all, std::size_t first, const ir::Target& target) {
  const std::vector<Pair> pairs = pairsOf(all, target);
  if (pairs.empty()) return false;
  DependenceGraph graph = dependencesOf(all);
  for (const auto& [i, sum, split] : pairs) {
    if (!graph.canMerge(i, sum)) continue;
    std::optional<SharedTiles> shared = shareTiles(all[i], all[sum], split, freeValue(all, first), target);
    if (!shared) continue;
    graph.merge(i, sum);
    std::vector<LoopNest> ordered;
    for (const std::size_t one : graph.order()) {
      ordered.push_back(one == i ? std::move(shared->tiles) : std::move(all[one]));
      if (one == i) ordered.push_back(std::move(shared->total));
    }
    all = std::move(ordered);
    return true;
  }
  return false;
}

}  // namespace

std::vector<LoopNest> shareTiles(std::vector<LoopNest> all, std::size_t first, const ir::Target& target) {
  while (sharePair(all, first, target)) {
  }
  return all;
}

}  // namespace lowering
