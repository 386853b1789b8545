#include "lowering/fusion/fuse_loops.h"

#include <algorithm>
#include <map>
#include <set>

#include "lowering/fusion/join_loops.h"
#include "lowering/heuristics/persistent.h"

namespace lowering {
namespace {

/// Whether loops that two others became have a schedule that reads once what both need. Reductions along one axis are computed by
/// the same traversals. Elements are stored by these as well where a GPU takes rows, or columns of a large matrix: other columns,
/// and rows on a CPU, are split over more CTAs or tasks if only results are stored. Rows store no transposition, which would take
/// a sector for each element.
bool hasSchedule(const LoopNest& joined, const LoopNest& first, const LoopNest& second, const ir::Target& target) {
  if (!joined.reduction) return true;
  const auto runsAlongElements = [](const LoopNest& nest) {
    return nest.reduction ? nest.domain.runsAlongElements() : !nest.transposition.has_value();
  };
  if (joined.reduction->elementStores.empty())
    return joined.domain.runsAlongElements() == first.domain.runsAlongElements() &&
           joined.domain.runsAlongElements() == second.domain.runsAlongElements();
  if (joined.mixedOrder && !joined.domain.runsAlongElements())
    return choosePersistentColumns(*joined.mixedOrder, target).has_value();
  return target.backend == ir::Backend::Cuda && runsAlongElements(joined) && runsAlongElements(first) &&
         runsAlongElements(second);
}

std::set<int> valuesOf(const LoopNest& nest) {
  std::set<int> values;
  for (const ir::Buffer& buffer : nest.loops.buffers) values.insert(buffer.value);
  return values;
}

class Fuser {
 public:
  Fuser(std::vector<LoopNest> all, std::size_t firstIntermediate, const ir::Target& target, bool onlyPieces)
      : nests_(std::move(all)),
        firstIntermediate_(static_cast<int>(firstIntermediate)),
        target_(target),
        onlyPieces_(onlyPieces),
        graph_(dependencesOf(nests_)) {
    for (const LoopNest& nest : nests_) {
      values_.push_back(valuesOf(nest));
      count(values_.back(), 1);
    }
  }

  std::vector<LoopNest> fuse() {
    while (fusePair()) {
    }
    std::vector<LoopNest> fused;
    for (const std::size_t nest : graph_.order()) fused.push_back(std::move(nests_[nest]));
    return fused;
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;
  /// Two loops as one.
  struct Fused {
    LoopNest nest;
    int64_t savedBytes = 0;
  };

  /// Fuses the pair that saves most bytes, the earliest one of several; false if no pair saves any.
  bool fusePair() {
    const std::vector<std::size_t> order = graph_.order();
    std::optional<Pair> best;
    int64_t most = 0;
    for (auto first = order.begin(); first != order.end(); ++first) {
      for (auto second = first + 1; second != order.end(); ++second) {
        if (onlyPieces_ && !nests_[*first].isPiece() && !nests_[*second].isPiece()) continue;
        if (!shareValue(*first, *second) || !graph_.canMerge(*first, *second)) continue;
        const std::optional<Fused>& fused = fusedOf({*first, *second});
        if (!fused || fused->savedBytes <= most) continue;
        most = fused->savedBytes;
        best = {*first, *second};
      }
    }
    if (best) replace(*best);
    return best.has_value();
  }

  /// Makes a pair one nest, in the place of its first.
  void replace(const Pair& pair) {
    const auto [first, second] = pair;
    LoopNest nest = std::move(fused_.at(pair)->nest);
    std::erase_if(fused_, [&](const auto& one) {
      const auto isOf = [&](std::size_t number) { return one.first.first == number || one.first.second == number; };
      return isOf(first) || isOf(second);
    });
    graph_.merge(first, second);
    nests_[first] = std::move(nest);
    for (const std::size_t one : {first, second}) count(values_[one], -1);
    values_[first] = valuesOf(nests_[first]);
    values_[second].clear();
    count(values_[first], 1);
  }

  /// The pair as one; nothing where it cannot be, or has no schedule.
  const std::optional<Fused>& fusedOf(const Pair& pair) {
    const auto [known, isNew] = fused_.try_emplace(pair);
    if (isNew) {
      const LoopNest &first = nests_[pair.first], &second = nests_[pair.second];
      if (std::optional<JoinedLoops> joined = join(first, second, temporariesOf(pair))) {
        LoopNest nest = analyze(std::move(joined->loops), target_);
        if (hasSchedule(nest, first, second, target_)) known->second = Fused{std::move(nest), joined->savedBytes};
      }
    }
    return known->second;
  }

  std::optional<JoinedLoops> join(const LoopNest& first, const LoopNest& second, const std::set<int>& temporaries) const {
    if (std::optional<ir::Loops> folded = foldedAs(first, second))
      return join(analyze(*std::move(folded), target_), second, temporaries);
    if (std::optional<ir::Loops> split = splitAs(first, second))
      return joinLoops(analyze(*std::move(split), target_), second, temporaries);
    if (std::optional<ir::Loops> split = splitAs(second, first))
      return joinLoops(first, analyze(*std::move(split), target_), temporaries);
    return joinLoops(first, second, temporaries);
  }

  bool shareValue(std::size_t first, std::size_t second) const {
    return std::any_of(values_[first].begin(), values_[first].end(), [&](int value) { return values_[second].contains(value); });
  }

  /// Intermediates that only these two loops read or write.
  std::set<int> temporariesOf(const Pair& pair) const {
    std::set<int> temporaries;
    for (const int value : values_[pair.first])
      if (value >= firstIntermediate_ && nestsWith_.at(value) == 1 + static_cast<int>(values_[pair.second].count(value)))
        temporaries.insert(value);
    return temporaries;
  }

  void count(const std::set<int>& values, int change) {
    for (const int value : values) nestsWith_[value] += change;
  }

  std::vector<LoopNest> nests_;
  const int firstIntermediate_;
  const ir::Target& target_;
  const bool onlyPieces_;  ///< whether one of a pair has to be a piece
  DependenceGraph graph_;
  std::vector<std::set<int>> values_;           ///< by nest: what it reads and writes
  std::map<int, int> nestsWith_;                ///< by value: how many nests read or write it
  std::map<Pair, std::optional<Fused>> fused_;  ///< pairs of nests that have not changed since
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
  std::vector<LoopNest> fused = Fuser(std::move(all), firstIntermediate, target, /*onlyPieces=*/false).fuse();
  renumberIntermediates(fused, firstIntermediate);
  return fused;
}

std::vector<LoopNest> fusePieces(std::vector<LoopNest> all, std::size_t firstIntermediate, const ir::Target& target) {
  const auto isPiece = [](const LoopNest& nest) { return nest.isPiece(); };
  if (std::none_of(all.begin(), all.end(), isPiece)) return all;
  std::vector<LoopNest> fused = Fuser(std::move(all), firstIntermediate, target, /*onlyPieces=*/true).fuse();
  renumberIntermediates(fused, firstIntermediate);
  return fused;
}

}  // namespace lowering
