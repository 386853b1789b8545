#include "lowering/heuristics/launches.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "ir/index/ceil_div.h"
#include "lowering/analysis/mixed_order_kernels.h"
#include "lowering/heuristics/columns.h"
#include "lowering/heuristics/cpu/tasks.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/persistent.h"
#include "lowering/heuristics/pointwise.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/layout/edit.h"

namespace lowering {
namespace {

/// Of the tensors that loops read and write, each once.
int64_t bytesOf(const std::vector<const LoopNest*>& nests) {
  std::map<int, int64_t> bytes;  // by value
  for (const LoopNest* nest : nests)
    for (const ir::Buffer& buffer : nest->loops.buffers) bytes[buffer.value] = buffer.type.bytesTouched();
  const auto add = [](int64_t sum, const auto& one) { return sum + one.second; };
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0}, add);
}

/// Columns under as many threads as a CTA of rows has, where each row has one CTA; whether they can be.
bool matchThreads(Schedule& columns, const Schedule& rows, const LoopNest& ofColumns, const LoopNest& ofRows,
                  const ir::Target& target) {
  const auto isTiled = [](const LoopNest& nest, const Schedule& schedule, bool alongElements) {
    const auto* layout = std::get_if<LayoutSchedule>(&schedule);
    return layout != nullptr && layout->staging == Staging::None && !layout->isPersistentKernel() && nest.hasReductions() &&
           nest.domain.runsAlongElements() == alongElements;
  };
  if (!isTiled(ofColumns, columns, false) || !isTiled(ofRows, rows, true)) return false;
  const Layout& row = std::get<LayoutSchedule>(rows).layout;
  for (std::size_t d = 1; d < row.dims.size(); ++d)
    if (row.splits(d) > 1) return false;
  const int block = static_cast<int>(row.extent(Bind::Thread));
  const ColumnDraft draft = withBlock(draftColumns(*ofColumns.reduction, ofColumns.domain, target), block);
  if (draft.block() != block) return false;
  columns = scheduleOf(draft, *ofColumns.reduction, ofColumns.domain);
  return true;
}

/// The number of tasks that split the elements of columns, on a CPU, where other loops go through these by rows: each task then
/// finds in its cache what the rows have left there. 0 where there are no such loops.
int64_t splitsOf(const LoopNest& columns, const LoopNest& rows, const ir::Target& target) {
  const auto& sums = columns.reduction;
  if (!sums || !rows.reduction || !sums->isReadOnce() || rows.reduction->elementStores.empty()) return 0;
  const IterationDomain &across = columns.domain, &along = rows.domain;
  if (across.runsAlongElements() || !along.runsAlongElements()) return 0;
  const int64_t bytes = sharedBytes(columns.loops, rows.loops);
  const int64_t elements = across.numel(across.elementDims(), across.dims().size());
  const int64_t most = std::min(elements, along.numel(0, along.elementDims())) / limits::cpu::mixedElements;
  const int64_t wanted = ceilDiv(bytes, limits::cpu::mixedCache.of(target.cacheBytes) * target.processors) * target.processors;
  return std::min(wanted, most / target.processors * target.processors);
}

/// The schedule of a matrix that two loops read, for those along its rows, where reading it twice costs more than the wait for
/// all CTAs in the end.
std::optional<LayoutSchedule> mixedOrderSchedule(const LoopNests& nests, const MixedOrderPair& pair, const ir::Target& target) {
  if (bytesOf({&nests.all[pair.first], &nests.all[pair.second]}) < limits::persistent::leastMixedBytes) return std::nullopt;
  return choosePersistentSchedule(pair.matrix, target);
}

/// Elements walked from the end on where loops before these have just gone over the same ones, so many that only the last of them
/// are still in the cache.
void reverseRereads(std::vector<Schedule>& schedules, const std::vector<LoopNest>& all, const ir::Target& target) {
  std::vector<const LoopNest*> nests;
  for (const LoopNest& nest : all) nests.push_back(&nest);
  if (target.backend != ir::Backend::Cuda || bytesOf(nests) < limits::launches::reversed.of(target.cacheBytes)) return;
  for (std::size_t i = 1; i < all.size(); ++i) {
    auto* layout = std::get_if<LayoutSchedule>(&schedules[i]);
    const auto before = all.begin() + static_cast<std::ptrdiff_t>(i);
    if (layout != nullptr && !all[i].reduction && layout->staging == Staging::None)
      layout->isBackwards =
          std::any_of(all.begin(), before, [&](const LoopNest& nest) { return sharedBytes(nest.loops, all[i].loops) > 0; });
  }
}

bool isPart(const LoopNest& nest) {
  return std::any_of(nest.loops.buffers.begin(), nest.loops.buffers.end(),
                     [](const ir::Buffer& buffer) { return buffer.isPart; });
}

/// Gives the CTAs of loops that store parts of tensors one size, so that they share launches: the size of loops with tiles if
/// there are any.
void matchParts(std::vector<Schedule>& schedules, const std::vector<LoopNest>& all, const ir::Target& target) {
  if (target.backend != ir::Backend::Cuda) return;
  int block = limits::gpu::usualBlock;
  const auto forParts = [&](Staging staging, const auto& use) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto* layout = std::get_if<LayoutSchedule>(&schedules[i]);
      if (layout != nullptr && isPart(all[i]) && layout->staging == staging) use(all[i].domain, *layout);
    }
  };
  forParts(Staging::Crossing, [&](const IterationDomain&, const LayoutSchedule& schedule) {
    block = static_cast<int>(schedule.layout.extent(Bind::Thread));
  });
  forParts(Staging::None, [&](const IterationDomain& domain, LayoutSchedule& schedule) {
    PointwiseDraft draft = draftPointwise(domain, target);
    draft.block = block;
    schedule = scheduleOf(draft, domain);
  });
}

/// Has columns take the threads, or the tasks, of rows whose launch they can then share; whether they do.
bool match(Schedule& columns, const Schedule& rows, const LoopNest& ofColumns, const LoopNest& ofRows, const ir::Target& target) {
  if (target.backend == ir::Backend::Cpu) {
    const int64_t splits = splitsOf(ofColumns, ofRows, target);
    if (splits > 0) columns = chooseTaskSchedule(ofColumns, target, splits);
    return splits > 0;
  }
  return bytesOf({&ofColumns, &ofRows}) < target.cacheBytes && matchThreads(columns, rows, ofColumns, ofRows, target);
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
  const DependenceGraph graph = dependencesOf(all);
  std::vector<bool> isMatched(all.size());
  for (std::size_t first = 0; first < all.size(); ++first) {
    for (std::size_t second = first + 1; second < all.size(); ++second) {
      if (!graph.areIndependent(first, second)) continue;
      for (const auto& [columns, rows] : {std::pair(first, second), std::pair(second, first)})
        if (!isMatched[columns] && match(schedules[columns], schedules[rows], all[columns], all[rows], target))
          isMatched[columns] = true;
    }
  }
  matchParts(schedules, all, target);
  reverseRereads(schedules, all, target);
  return schedules;
}

}  // namespace lowering
