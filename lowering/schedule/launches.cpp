#include "lowering/schedule/launches.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "ir/index/ceil_div.h"
#include "ir/index/width.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"
#include "lowering/heuristics/columns.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/persistent.h"
#include "lowering/kernel/fuse_horizontally.h"
#include "lowering/schedule/apply.h"

namespace lowering {
namespace {

/// Of the tensors that loops read and write, each once.
int64_t bytesOf(std::span<const LoopNest> nests) {
  std::map<int, int64_t> bytes;  // by value
  for (const LoopNest& nest : nests)
    for (const ir::Buffer& buffer : nest.loops.buffers) bytes[buffer.value] = buffer.type.bytesTouched();
  const auto add = [](int64_t sum, const auto& one) { return sum + one.second; };
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0}, add);
}

/// Columns under as many threads as a CTA of the rows has that share its launch, where each row has one CTA.
void match(Schedule& columns, const LoopNest& nest, const Schedule& rows, const LoopNest& beside, const ir::Target& target) {
  const auto isTiled = [](const LoopNest& one, const Schedule& schedule, bool alongElements) {
    const auto* layout = std::get_if<LayoutSchedule>(&schedule);
    return layout != nullptr && layout->staging == Staging::None && one.reduction && !one.reduction->scans &&
           one.domain.runsAlongElements() == alongElements;
  };
  if (!isTiled(nest, columns, false) || !isTiled(beside, rows, true)) return;
  const LayoutSchedule& row = std::get<LayoutSchedule>(rows);
  for (std::size_t d = 1; d < row.layout.dims.size(); ++d)
    if (row.layout.splits(d) > 1) return;
  const ColumnMapping mapping = chooseColumnMapping(*nest.reduction, nest.domain, target);
  const int block = static_cast<int>(row.layout.extent(Bind::Thread));
  columns = scheduleOf(withBlock(mapping, block), *nest.reduction, nest.domain);
}

/// Of loops on a CPU that sum columns of what others go through by rows: the number of tasks that split the elements, so that
/// each finds in its cache what the rows have left there; 0 where there are no such loops.
int64_t splitsOf(const LoopNest& columns, const LoopNest& rows, const ir::Target& target) {
  const auto& sums = columns.reduction;
  if (!sums || !rows.reduction || sums->traversals() > 1 || !sums->elementStores.empty() || rows.reduction->elementStores.empty())
    return 0;
  const IterationDomain &across = columns.domain, &along = rows.domain;
  if (across.runsAlongElements() || !along.runsAlongElements()) return 0;
  int64_t bytes = 0;
  for (const ir::Buffer& buffer : columns.loops.buffers)
    for (const ir::Buffer& other : rows.loops.buffers)
      if (buffer.value == other.value && buffer.isRead && other.isRead) bytes += buffer.type.bytesTouched();
  const int64_t elements = across.numel(across.elementDims(), across.dims().size());
  const int64_t most = std::min(elements, along.numel(0, along.elementDims())) / limits::cpu::mixedElements;
  const int64_t wanted = ceilDiv(bytes, limits::cpu::mixedCache.of(target.cacheBytes) * target.processors) * target.processors;
  return std::min(wanted, most / target.processors * target.processors);
}

/// Two kernels, the second of which does not need the first one's results, in one launch.
std::optional<ir::Kernel> merge(const ir::Kernel& a, const ir::Kernel& b) {
  if (a.backend == ir::Backend::Cpu) {
    std::optional<ir::Kernel> one = inTasksOf(a, b);
    return one ? one : inTasksOf(b, a);
  }
  // Clusters come first, and of two kernels without the smaller one: what takes longest to start starts first.
  const bool swaps = a.launch.cluster != b.launch.cluster ? a.launch.cluster < b.launch.cluster : a.launch.grid > b.launch.grid;
  return swaps ? fuseHorizontally(b, a) : fuseHorizontally(a, b);
}

/// The schedule of a matrix that two loops read, where reading it twice costs more than the wait for all CTAs in the end.
std::optional<PersistentSchedule> mixedOrderSchedule(const LoopNests& nests, const ir::Target& target) {
  if (!nests.mixedOrder || bytesOf(nests.all) < limits::persistent::leastMixedBytes) return std::nullopt;
  return choosePersistentSchedule(*nests.mixedOrder, target);
}

/// The schedule of two loops in one kernel, nothing where each has its own; what becomes of columns concerns only one of them.
std::optional<PersistentSchedule> commonSchedule(const std::vector<Schedule>& schedules) {
  if (schedules.size() != 2) return std::nullopt;
  const auto* one = std::get_if<PersistentSchedule>(&schedules[0]);
  const auto* other = std::get_if<PersistentSchedule>(&schedules[1]);
  if (one == nullptr || other == nullptr) return std::nullopt;
  PersistentSchedule shared = *one;
  shared.adds = one->adds || other->adds;
  PersistentSchedule same = *other;
  same.adds = shared.adds;
  return shared == same ? std::optional(shared) : std::nullopt;
}

/// Whether loops read what others do.
bool shareInput(const ir::Loops& a, const ir::Loops& b) {
  return std::any_of(a.buffers.begin(), a.buffers.end(), [&](const ir::Buffer& x) {
    return std::any_of(b.buffers.begin(), b.buffers.end(),
                       [&](const ir::Buffer& y) { return x.value == y.value && x.isRead && y.isRead; });
  });
}

/// Elements walked from the end on where loops before these have just gone over the same ones, so many that only the last of them
/// are still in the cache.
void reverseRereads(std::vector<Schedule>& schedules, std::span<const LoopNest> all, const ir::Target& target) {
  if (target.backend != ir::Backend::Cuda || bytesOf(all) < limits::launches::reversed.of(target.cacheBytes)) return;
  for (std::size_t i = 1; i < all.size(); ++i) {
    auto* layout = std::get_if<LayoutSchedule>(&schedules[i]);
    const auto before = all.begin() + static_cast<std::ptrdiff_t>(i);
    if (layout != nullptr && !all[i].reduction && layout->staging == Staging::None)
      layout->isBackwards =
          std::any_of(all.begin(), before, [&](const LoopNest& nest) { return shareInput(nest.loops, all[i].loops); });
  }
}

}  // namespace

std::vector<Schedule> chooseSchedules(const LoopNests& nests, const ir::Target& target) {
  if (const auto matrix = mixedOrderSchedule(nests, target)) return {*matrix, *matrix};
  const std::span<const LoopNest> all = nests.all;
  std::vector<Schedule> schedules;
  for (const LoopNest& nest : all) schedules.push_back(chooseSchedule(nest, target));
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    for (const auto& [one, other] : {std::pair(i, i + 1), std::pair(i + 1, i)}) {
      if (target.backend == ir::Backend::Cpu) {
        if (const int64_t splits = splitsOf(all[one], all[other], target)) schedules[one] = TaskSchedule{splits};
        continue;
      }
      if (bytesOf(all.subspan(i, 2)) < target.cacheBytes) match(schedules[one], all[one], schedules[other], all[other], target);
    }
  }
  reverseRereads(schedules, all, target);
  return schedules;
}

std::vector<ir::Kernel> applyAll(const LoopNests& nests, const ir::Target& target, const std::vector<Schedule>& schedules) {
  const auto shared = nests.mixedOrder ? commonSchedule(schedules) : std::nullopt;
  if (shared) return {applyPersistent(*nests.mixedOrder, target, *shared)};
  std::vector<ir::Kernel> kernels;
  for (std::size_t i = 0; i < nests.all.size(); ++i) kernels.push_back(apply(nests.all[i], target, schedules[i]));
  return kernels;
}

std::vector<ir::Kernel> mergeLaunches(const std::vector<ir::Kernel>& kernels) {
  std::vector<ir::Kernel> all;
  for (const ir::Kernel& kernel : kernels) {
    std::optional<ir::Kernel> one;
    if (!all.empty()) one = merge(all.back(), kernel);
    if (one) all.pop_back();
    all.push_back(one ? *std::move(one) : kernel);
  }
  return all;
}

std::vector<ir::Kernel> narrowIndices(std::vector<ir::Kernel> kernels) {
  for (ir::Kernel& kernel : kernels) kernel.index32 = kernel.backend == ir::Backend::Cuda && !ir::findWideIndex(kernel);
  return kernels;
}

}  // namespace lowering
