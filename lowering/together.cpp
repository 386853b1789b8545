#include "lowering/together.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "lowering/beside.h"
#include "lowering/ceil_div.h"
#include "lowering/domain.h"
#include "lowering/nest.h"
#include "lowering/schedule.h"

namespace lowering {
namespace {

/// From here on a matrix is better read once: what two launches read twice comes from the cache the second time, but not for
/// nothing.
constexpr int64_t crossingBytes = int64_t{19} << 20;

/// Of the tensors that loops read and write, each once.
int64_t bytesOf(const std::vector<ir::Loops>& all) {
  std::map<int, int64_t> bytes;  // by value
  for (const ir::Loops& loops : all)
    for (const ir::Buffer& buffer : loops.buffers) bytes[buffer.value] = buffer.type.bytesTouched();
  const auto add = [](int64_t sum, const auto& one) { return sum + one.second; };
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0}, add);
}

/// Columns under as many threads as a CTA of rows has.
void match(ColumnTiling& columns, const RowTiling& rows) {
  const int down = rows.block / columns.across;
  const bool fits = rows.ctas == 1 && rows.shares == 1 && columns.shares == 1 && !columns.isDirect() &&
                    columns.across * down == rows.block && down >= columns.lanes && rows.block % 32 == 0;
  if (fits) columns.down = down;
}

constexpr int64_t fewestElements = 32;  // of a column that a task takes: combining what tasks leave is then little work
constexpr int64_t shareOfCache = 4;     // of a core's cache: what a task reads of what two loops read

/// Of loops on a CPU that sum columns of what others go through by rows: how many tasks share the elements, so that each finds in
/// its cache what the rows have left there; 0 where there are no such loops.
int64_t sharesOf(const ir::Loops& columns, const ir::Loops& rows, const ir::Target& target) {
  const std::optional<Nest> sums = nestOf(columns), nest = nestOf(rows);
  if (!sums || !nest || sums->passes() > 1 || !sums->elementStores.empty() || nest->elementStores.empty()) return 0;
  const Domain across(columns, *sums), along(rows, *nest);
  if (across.runsAlongElements() || !along.runsAlongElements()) return 0;
  int64_t bytes = 0;
  for (const ir::Buffer& buffer : columns.buffers)
    for (const ir::Buffer& other : rows.buffers)
      if (buffer.value == other.value && buffer.isRead && other.isRead) bytes += buffer.type.bytesTouched();
  const int64_t elements = across.numel(across.elementDims(), across.dims().size());
  const int64_t most = std::min(elements, along.numel(0, along.elementDims())) / fewestElements;
  const int64_t wanted = ceilDiv(bytes, target.cacheBytes / shareOfCache * target.processors) * target.processors;
  return std::min(wanted, most / target.processors * target.processors);
}

/// The same work in fewer launches, where two kernels can be one.
std::vector<ir::Kernel> joined(std::vector<ir::Kernel> kernels) {
  if (kernels.size() != 2) return kernels;
  if (kernels.front().backend == ir::Backend::Cpu) {
    for (std::size_t i = 0; i < 2; ++i)
      if (const std::optional<ir::Kernel> one = inTasksOf(kernels[i], kernels[1 - i])) return {*one};
    return kernels;
  }
  // Clusters come first, and of two kernels without the smaller one: what takes longest to start starts first.
  const auto isLater = [](const ir::Kernel& a, const ir::Kernel& b) {
    return a.launch.cluster != b.launch.cluster ? a.launch.cluster < b.launch.cluster : a.launch.grid > b.launch.grid;
  };
  const bool swaps = isLater(kernels[0], kernels[1]);
  const std::optional<ir::Kernel> one = beside(kernels[swaps ? 1 : 0], kernels[swaps ? 0 : 1]);
  if (!one) return kernels;
  return {*one};
}

/// The tiling of a matrix that two loops read, where reading it twice costs more than the wait for all CTAs in the end.
std::optional<PersistentTiling> crossingTiling(const std::vector<ir::Loops>& all, const ir::Target& target) {
  if (all.size() != 2 || target.backend != ir::Backend::Cuda || bytesOf(all) < crossingBytes) return std::nullopt;
  const std::optional<Crossing> crossing = crossingOf(all);
  return crossing ? choosePersistentTiling(*crossing, target) : std::nullopt;
}

/// The tiling of two loops in one kernel, nothing where each has its own; what becomes of columns concerns only one of them.
std::optional<PersistentTiling> sharedTiling(const std::vector<Tiling>& tilings) {
  if (tilings.size() != 2) return std::nullopt;
  const auto* one = std::get_if<PersistentTiling>(&tilings[0]);
  const auto* other = std::get_if<PersistentTiling>(&tilings[1]);
  if (one == nullptr || other == nullptr) return std::nullopt;
  PersistentTiling shared = *one;
  shared.adds = one->adds || other->adds;
  PersistentTiling same = *other;
  same.adds = shared.adds;
  return shared == same ? std::optional(shared) : std::nullopt;
}

}  // namespace

std::vector<Tiling> chooseTilings(const std::vector<ir::Loops>& all, const ir::Target& target) {
  if (const auto crossing = crossingTiling(all, target)) return {*crossing, *crossing};
  std::vector<Tiling> tilings;
  for (const ir::Loops& loops : all) tilings.push_back(chooseTiling(loops, target));
  if (tilings.size() != 2) return tilings;
  if (target.backend == ir::Backend::Cpu) {
    for (std::size_t i = 0; i < 2; ++i) tilings[i] = TaskTiling{sharesOf(all[i], all[1 - i], target)};
    return tilings;
  }
  if (bytesOf(all) >= target.cacheBytes) return tilings;
  for (std::size_t i = 0; i < 2; ++i) {
    auto* columns = std::get_if<ColumnTiling>(&tilings[i]);
    const auto* rows = std::get_if<RowTiling>(&tilings[1 - i]);
    if (columns != nullptr && rows != nullptr) match(*columns, *rows);
  }
  return tilings;
}

std::vector<ir::Kernel> scheduleAll(const std::vector<ir::Loops>& all, const ir::Target& target,
                                    const std::vector<Tiling>& tilings) {
  if (const auto tiling = sharedTiling(tilings)) return {schedulePersistent(*crossingOf(all), *tiling)};
  std::vector<ir::Kernel> kernels;
  for (std::size_t i = 0; i < all.size(); ++i) kernels.push_back(schedule(all[i], target, tilings[i]));
  return joined(std::move(kernels));
}

}  // namespace lowering
