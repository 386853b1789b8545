#include "lowering/heuristics/launches.h"

#include <algorithm>

#include "lowering/analysis/mixed_order_kernels.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/persistent.h"
#include "lowering/heuristics/pointwise.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/layout/edit.h"

namespace lowering {
namespace {

/// The schedule of a matrix that two loops read, for those along its rows, where reading it twice costs more than the wait for
/// all CTAs in the end.
std::optional<LayoutSchedule> mixedOrderSchedule(const LoopNests& nests, const MixedOrderPair& pair, const ir::Target& target) {
  if (touchedBytes({&nests.all[pair.first], &nests.all[pair.second]}) < limits::persistent::leastMixedBytes) return std::nullopt;
  return choosePersistentSchedule(pair.matrix, target);
}

/// Elements walked from the end on where loops before these have just gone over the same ones, so many that only the last of them
/// are still in the cache.
void reverseRereads(std::vector<Schedule>& schedules, const std::vector<LoopNest>& all, const ir::Target& target) {
  std::vector<const LoopNest*> nests;
  for (const LoopNest& nest : all) nests.push_back(&nest);
  if (target.backend != ir::Backend::Cuda || touchedBytes(nests) < limits::launches::reversed.of(target.cacheBytes)) return;
  for (std::size_t i = 1; i < all.size(); ++i) {
    auto* layout = std::get_if<LayoutSchedule>(&schedules[i]);
    const auto before = all.begin() + static_cast<std::ptrdiff_t>(i);
    if (layout != nullptr && !all[i].reduction && layout->staging == Staging::None)
      layout->isBackwards =
          std::any_of(all.begin(), before, [&](const LoopNest& nest) { return sharedBytes(nest.loops, all[i].loops) > 0; });
  }
}

/// Gives the CTAs of loops that store parts of tensors one size, so that they share launches: the size of loops with tiles if
/// there are any.
void matchParts(std::vector<Schedule>& schedules, const std::vector<LoopNest>& all, const ir::Target& target) {
  if (target.backend != ir::Backend::Cuda) return;
  int block = limits::gpu::usualBlock;
  const auto forParts = [&](Staging staging, const auto& use) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto* layout = std::get_if<LayoutSchedule>(&schedules[i]);
      if (layout != nullptr && all[i].isPiece() && !all[i].reduction && layout->staging == staging) use(all[i], *layout);
    }
  };
  forParts(Staging::Crossing, [&](const LoopNest&, const LayoutSchedule& schedule) {
    block = static_cast<int>(schedule.layout.extent(Bind::Thread));
  });
  forParts(Staging::None, [&](const LoopNest& nest, LayoutSchedule& schedule) {
    PointwiseDraft draft = draftPointwise(nest, target);
    draft.block = block;
    schedule = scheduleOf(draft, nest.domain);
  });
}

}  // namespace

std::vector<Schedule> chooseSchedules(const LoopNests& nests, const ir::Target& target) {
  const std::vector<LoopNest>& all = nests.all;
  std::vector<Schedule> schedules;
  for (const LoopNest& nest : all) schedules.push_back(chooseSchedule(nest, target));
  MixedOrderKernels mixed(nests);
  for (const MixedOrderPair& pair : nests.mixedOrders) {
    const auto matrix = mixed.canAdd(pair) ? mixedOrderSchedule(nests, pair, target) : std::nullopt;
    if (!matrix) continue;
    for (const std::size_t nest : {pair.first, pair.second}) schedules[nest] = inDims(*matrix, all[nest].domain);
    mixed.add(pair);
  }
  matchParts(schedules, all, target);
  const DependenceGraph graph = dependencesOf(all);
  std::vector<bool> isMatched(all.size());
  for (std::size_t first = 0; first < all.size(); ++first) {
    for (std::size_t second = first + 1; second < all.size(); ++second) {
      if (!graph.areIndependent(first, second)) continue;
      for (const auto& [nest, other] : {std::pair(first, second), std::pair(second, first)}) {
        if (isMatched[nest]) continue;
        std::optional<Schedule> beside = chooseBeside({all[nest], schedules[nest]}, {all[other], schedules[other]}, target);
        if (!beside) continue;
        schedules[nest] = *std::move(beside);
        isMatched[nest] = true;
      }
    }
  }
  reverseRereads(schedules, all, target);
  return schedules;
}

}  // namespace lowering
