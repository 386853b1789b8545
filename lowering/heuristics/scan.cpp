// Scans of rows and of columns.
#include <algorithm>
#include <bit>
#include <optional>

#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/layout/edit.h"

namespace lowering {
namespace {

/// How scans are laid over threads. Where memory runs along the elements a line is a row; of outer scans, contiguous along the
/// kept axes, it is a vector of columns, and has one such vector an element.
struct ScanMapping {
  bool areColumns = false;
  int lanes = 1;
  int64_t lines = 1;
  int64_t vectors = 1;  ///< of a line; the last one of a row may have fewer elements
  int linesOfCta = 1;
  int group = 1;       ///< threads of a CTA that work on one line
  int64_t steps = 1;   ///< vectors that a thread takes at once
  int ctas = 1;        ///< a cluster of so many CTAs works on one line
  int gridSplits = 1;  ///< rows: or so many CTAs of the grid, which wait for each other's totals
  int resident = 0;    ///< see Launch::resident; of the CTAs that wait for each other's totals

  int splits() const { return ctas * gridSplits; }
  /// Vectors of a line that all its threads together take at once.
  int64_t chunk() const { return int64_t{splits()} * group * steps; }
};

/// Numbers to take instead of the rules' own, where a scan of these can be made.
struct ScanWish {
  std::optional<int64_t> steps{};
  std::optional<int> splits{};
};

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

void layOutRows(ScanMapping& mapping, const ir::Target& target, const ScanWish& wish) {
  const auto isEnough = [&] {
    const int64_t ctas = mapping.lines * mapping.ctas, each = mapping.vectors / mapping.ctas;
    const bool hasChunks = each > limits::scans::widestBlock * limits::scans::vectorsAtOnce;
    const int64_t filled = hasChunks ? target.processors : limits::gpu::filledDevice.of(target.processors);
    return ctas > filled || each < limits::gpu::leastClusterVectors;
  };
  while (mapping.ctas < target.clusterCtas && !isEnough()) mapping.ctas *= 2;
  const int64_t mostSplits = int64_t{limits::scans::splitCtas} * target.processors / mapping.lines;
  if (mapping.vectors / mapping.ctas > limits::scans::clusterVectors && mostSplits > 1) {
    mapping.ctas = 1;
    mapping.gridSplits = static_cast<int>(std::min(mostSplits, mapping.vectors / limits::scans::splitVectors));
  }
  if (wish.splits && mapping.gridSplits > 1)
    mapping.gridSplits = static_cast<int>(std::clamp<int64_t>(*wish.splits, 1, mostSplits));
  else if (wish.splits)
    mapping.ctas = std::clamp(powerOfTwoFrom(*wish.splits), 1, target.clusterCtas);
  if (mapping.gridSplits > 1) mapping.resident = static_cast<int>(ceilDiv(mapping.lines * mapping.gridSplits, target.processors));
  const int64_t each = ceilDiv(mapping.vectors, mapping.splits());
  const bool isSmall = mapping.lines * mapping.vectors <= residentThreads(target) && mapping.splits() == 1;
  mapping.steps = isSmall ? ceilDiv(each, limits::scans::widestBlock) : each / limits::scans::fewestThreads;
  mapping.steps = std::clamp<int64_t>(wish.steps.value_or(mapping.steps), 1, limits::scans::vectorsAtOnce);
  mapping.group = static_cast<int>(std::min<int64_t>(limits::scans::widestBlock, groupOf(ceilDiv(each, mapping.steps))));
  if (mapping.splits() > 1) mapping.group = std::max(mapping.group, warp);
  int lines = mapping.splits() > 1 ? 1 : std::max(1, limits::gpu::usualBlock / mapping.group);
  const int64_t fewest = int64_t{limits::gpu::leastGrid} * target.processors;
  while (lines * mapping.group > warp && lines > 1 && ceilDiv(mapping.lines, lines) < fewest) lines /= 2;
  while (ceilDiv(mapping.lines, lines) > limits::gpu::largestGrid && lines * mapping.group * 2 <= limits::scans::widestBlock)
    lines *= 2;
  mapping.linesOfCta = lines;
}

void layOutColumns(ScanMapping& mapping, const ir::Target& target, const ScanWish& wish) {
  const bool isShort = mapping.vectors <= limits::scans::shortColumn;
  const int64_t steps = isShort ? limits::scans::shortColumnElements : limits::scans::vectorsAtOnce;
  mapping.steps = std::clamp<int64_t>(wish.steps.value_or(steps), 1, limits::scans::vectorsAtOnce);
  // Threads a line that fill the device.
  const int64_t wanted = int64_t{limits::scans::fillingThreads} * target.processors / mapping.lines;
  const int64_t most = powerOfTwoFrom(ceilDiv(mapping.vectors, mapping.steps));
  mapping.group =
      static_cast<int>(powerOfTwoFrom(std::clamp<int64_t>(std::min(wanted, most), 1, limits::scans::mostColumnThreads)));
  const int ofMany = std::max(limits::scans::narrowestTile, std::min(warp, limits::scans::columnBlock / mapping.group));
  const int across = mapping.group == 1 ? limits::gpu::usualBlock : ofMany;
  mapping.linesOfCta = static_cast<int>(std::min<int64_t>(across, powerOfTwoFrom(mapping.lines)));
  mapping.linesOfCta = std::max(mapping.linesOfCta, warp / std::min(warp, mapping.group));
  const auto isEnough = [&] {
    const bool fills = ceilDiv(mapping.lines, mapping.linesOfCta) * mapping.ctas >= target.processors;
    return fills || mapping.group < limits::scans::mostColumnThreads || mapping.vectors < 2 * mapping.chunk();
  };
  while (mapping.ctas < target.clusterCtas && !isEnough()) mapping.ctas *= 2;
  if (wish.splits && mapping.group > 1) mapping.ctas = std::clamp(powerOfTwoFrom(*wish.splits), 1, target.clusterCtas);
}

ScanMapping mappingOf(const IterationDomain& domain, const ir::Target& target, const ScanWish& wish = {}) {
  ScanMapping mapping;
  mapping.areColumns = !domain.runsAlongElements();
  const std::size_t dim = mapping.areColumns ? domain.elementDims() - 1 : domain.innermost();
  mapping.lanes = chooseLanes(domain, dim, !mapping.areColumns, target);
  const int64_t rows = domain.numel(0, domain.elementDims()), elements = domain.inner().extent;
  mapping.lines = mapping.areColumns ? rows / mapping.lanes : rows;
  mapping.vectors = mapping.areColumns ? elements : ceilDiv(elements, mapping.lanes);
  mapping.areColumns ? layOutColumns(mapping, target, wish) : layOutRows(mapping, target, wish);
  return mapping;
}

LayoutSchedule scheduleOf(const ScanMapping& mapping, const IterationDomain& domain) {
  enum Dims : std::size_t { kept, scanned };
  LayoutSchedule schedule =
      unscheduled(domain, {domain.elementDims(), domain.dims().size()}, mapping.areColumns ? kept : scanned, mapping.lanes);
  const Part tiles{kept, Bind::Grid, ceilDiv(mapping.lines, mapping.linesOfCta)}, splits{scanned, Bind::Grid, mapping.gridSplits},
      chunks{scanned, Bind::Serial, ceilDiv(mapping.vectors, mapping.chunk())}, steps{scanned, Bind::Unrolled, mapping.steps},
      ctas{scanned, Bind::Cluster, mapping.ctas}, lines{kept, Bind::Thread, mapping.linesOfCta},
      group{scanned, Bind::Thread, mapping.group};
  std::vector<Part>& parts = schedule.layout.parts;
  if (mapping.areColumns)
    parts = {tiles, chunks, ctas, group, lines, steps};
  else
    parts = {tiles, splits, chunks, steps, ctas, lines, group};
  std::erase_if(parts, [](const Part& part) { return part.extent == 1; });
  schedule.resident = mapping.resident;
  return schedule;
}

/// Vectors a thread takes at once, and CTAs a row or column.
std::vector<Schedule> otherScans(const LoopNest& nest, const ir::Target& target, const TuningStart& start) {
  if (!start.isChosen) return {};
  const ScanMapping rules = mappingOf(nest.domain, target);
  std::vector<Schedule> schedules;
  for (const ScanWish& wish : {ScanWish{.steps = 2 * rules.steps}, ScanWish{.steps = rules.steps / 2},
                               ScanWish{.splits = 2 * rules.splits()}, ScanWish{.splits = rules.splits() / 2}})
    schedules.emplace_back(scheduleOf(mappingOf(nest.domain, target, wish), nest.domain));
  return schedules;
}

std::optional<Schedule> chooseScans(const LoopNest& nest, const ir::Target& target) {
  if (!nest.hasScans()) return std::nullopt;
  return scheduleOf(mappingOf(nest.domain, target), nest.domain);
}

const ScheduleRule scans{{.order = 30, .choose = chooseScans, .others = otherScans}};

}  // namespace
}  // namespace lowering
