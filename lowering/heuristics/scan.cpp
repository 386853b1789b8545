#include "lowering/heuristics/scan.h"

#include <algorithm>
#include <bit>

#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/rule.h"

namespace lowering {
namespace {

constexpr int warp = ir::Target::warp;

template <typename T>
T powerOfTwoFrom(T n) {
  return static_cast<T>(std::bit_ceil(static_cast<uint64_t>(n)));
}

/// The widest vectors along a dim: aligned in all that runs along it. A row may end within one if nothing is read lane by lane.
int chooseLanes(const IterationDomain& domain, std::size_t dim, bool mayEndWithin, const ir::Target& target) {
  std::vector<const Access*> along;
  int64_t widest = 1, narrowest = 8;
  bool isRead = mayEndWithin;
  const auto add = [&](const Access& access) {
    if (!domain.isContiguous(access, dim)) return false;
    along.push_back(&access);
    widest = std::max(widest, access.elementBytes);
    narrowest = std::min(narrowest, access.elementBytes);
    return true;
  };
  for (const Access& access : domain.stores()) add(access);
  for (const Access& access : domain.loads())
    if (!add(access) && !domain.isUniform(access, dim)) isRead = false;
  if (along.empty()) return 1;
  auto lanes = static_cast<int>(std::min(target.vectorBytes / narrowest, 2 * target.vectorBytes / widest));
  const auto fits = [&](const Access* access) { return domain.isAligned(*access, lanes, dim); };
  const auto ends = [&] { return domain.dims()[dim].extent % lanes == 0 || (isRead && lanes * widest <= target.vectorBytes); };
  while (lanes > 1 && !(ends() && std::all_of(along.begin(), along.end(), fits))) lanes /= 2;
  return lanes;
}

void layOutRows(ScanSchedule& schedule, const ir::Target& target, const ScanWish& wish) {
  const auto isEnough = [&] {
    const int64_t ctas = schedule.lines * schedule.ctas, each = schedule.vectors / schedule.ctas;
    const bool hasChunks = each > limits::scans::widestBlock * limits::scans::vectorsAtOnce;
    const int64_t filled = hasChunks ? target.processors : limits::gpu::filledDevice.of(target.processors);
    return ctas > filled || each < limits::gpu::leastClusterVectors;
  };
  while (schedule.ctas < target.clusterCtas && !isEnough()) schedule.ctas *= 2;
  const int64_t mostSplits = int64_t{limits::scans::splitCtas} * target.processors / schedule.lines;
  if (schedule.vectors / schedule.ctas > limits::scans::clusterVectors && mostSplits > 1) {
    schedule.ctas = 1;
    schedule.gridSplits = static_cast<int>(std::min(mostSplits, schedule.vectors / limits::scans::splitVectors));
  }
  if (wish.splits && schedule.gridSplits > 1)
    schedule.gridSplits = static_cast<int>(std::clamp<int64_t>(*wish.splits, 1, mostSplits));
  else if (wish.splits)
    schedule.ctas = std::clamp(powerOfTwoFrom(*wish.splits), 1, target.clusterCtas);
  if (schedule.gridSplits > 1)
    schedule.resident = static_cast<int>(ceilDiv(schedule.lines * schedule.gridSplits, target.processors));
  const int64_t each = ceilDiv(schedule.vectors, schedule.splits());
  const bool isSmall = schedule.lines * schedule.vectors <= residentThreads(target) && schedule.splits() == 1;
  schedule.steps = isSmall ? ceilDiv(each, limits::scans::widestBlock) : each / limits::scans::fewestThreads;
  schedule.steps = std::clamp<int64_t>(wish.steps.value_or(schedule.steps), 1, limits::scans::vectorsAtOnce);
  schedule.group = static_cast<int>(std::min<int64_t>(limits::scans::widestBlock, groupOf(ceilDiv(each, schedule.steps))));
  if (schedule.splits() > 1) schedule.group = std::max(schedule.group, warp);
  int lines = schedule.splits() > 1 ? 1 : std::max(1, limits::gpu::usualBlock / schedule.group);
  const int64_t fewest = int64_t{limits::gpu::leastGrid} * target.processors;
  while (lines * schedule.group > warp && lines > 1 && ceilDiv(schedule.lines, lines) < fewest) lines /= 2;
  while (ceilDiv(schedule.lines, lines) > limits::gpu::largestGrid && lines * schedule.group * 2 <= limits::scans::widestBlock)
    lines *= 2;
  schedule.block = schedule.group * lines;
}

void layOutColumns(ScanSchedule& schedule, const ir::Target& target, const ScanWish& wish) {
  const bool isShort = schedule.vectors <= limits::scans::shortColumn;
  const int64_t steps = isShort ? limits::scans::shortColumnElements : limits::scans::vectorsAtOnce;
  schedule.steps = std::clamp<int64_t>(wish.steps.value_or(steps), 1, limits::scans::vectorsAtOnce);
  // Threads a line that fill the device.
  const int64_t wanted = int64_t{limits::scans::fillingThreads} * target.processors / schedule.lines;
  const int64_t most = powerOfTwoFrom(ceilDiv(schedule.vectors, schedule.steps));
  schedule.group =
      static_cast<int>(powerOfTwoFrom(std::clamp<int64_t>(std::min(wanted, most), 1, limits::scans::mostColumnThreads)));
  const int ofMany = std::max(limits::scans::narrowestTile, std::min(warp, limits::scans::columnBlock / schedule.group));
  const int across = schedule.group == 1 ? limits::gpu::usualBlock : ofMany;
  schedule.across = static_cast<int>(std::min<int64_t>(across, powerOfTwoFrom(schedule.lines)));
  schedule.across = std::max(schedule.across, warp / std::min(warp, schedule.group));
  schedule.block = schedule.across * schedule.group;
  const auto isEnough = [&] {
    const bool fills = ceilDiv(schedule.lines, schedule.across) * schedule.ctas >= target.processors;
    return fills || schedule.group < limits::scans::mostColumnThreads || schedule.vectors < 2 * schedule.chunk();
  };
  while (schedule.ctas < target.clusterCtas && !isEnough()) schedule.ctas *= 2;
  if (wish.splits && schedule.group > 1) schedule.ctas = std::clamp(powerOfTwoFrom(*wish.splits), 1, target.clusterCtas);
}

}  // namespace

ScanSchedule chooseScanSchedule(const IterationDomain& domain, const ir::Target& target, const ScanWish& wish) {
  ScanSchedule schedule;
  schedule.columns = !domain.runsAlongElements();
  const std::size_t dim = schedule.columns ? domain.elementDims() - 1 : domain.innermost();
  schedule.lanes = chooseLanes(domain, dim, !schedule.columns, target);
  const int64_t rows = domain.numel(0, domain.elementDims()), elements = domain.inner().extent;
  schedule.lines = schedule.columns ? rows / schedule.lanes : rows;
  schedule.vectors = schedule.columns ? elements : ceilDiv(elements, schedule.lanes);
  schedule.columns ? layOutColumns(schedule, target, wish) : layOutRows(schedule, target, wish);
  return schedule;
}

namespace {

/// Vectors a thread takes at once, and CTAs a row or column.
std::vector<Schedule> others(const LoopNest& nest, const ir::Target& target, const Tuned& tuned) {
  if (!tuned.isChosen) return {};
  const ScanSchedule rules = chooseScanSchedule(nest.domain, target);
  std::vector<Schedule> schedules;
  for (const ScanWish& wish : {ScanWish{.steps = 2 * rules.steps}, ScanWish{.steps = rules.steps / 2},
                               ScanWish{.splits = 2 * rules.splits()}, ScanWish{.splits = rules.splits() / 2}})
    schedules.emplace_back(chooseScanSchedule(nest.domain, target, wish));
  return schedules;
}

std::optional<Schedule> choose(const LoopNest& nest, const ir::Target& target) {
  if (!nest.hasScans()) return std::nullopt;
  return chooseScanSchedule(nest.domain, target);
}

const ScheduleRule scans{{.order = 30, .choose = choose, .others = others}};

}  // namespace

}  // namespace lowering
