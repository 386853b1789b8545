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
struct ScanDraft {
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

void layOutRows(ScanDraft& draft, const ir::Target& target, const ScanWish& wish) {
  const auto isEnough = [&] {
    const int64_t ctas = draft.lines * draft.ctas, each = draft.vectors / draft.ctas;
    const bool hasChunks = each > limits::scans::widestBlock * limits::scans::vectorsAtOnce;
    const int64_t filled = hasChunks ? target.processors : limits::gpu::filledDevice.of(target.processors);
    return ctas > filled || each < limits::gpu::leastClusterVectors;
  };
  while (draft.ctas < target.clusterCtas && !isEnough()) draft.ctas *= 2;
  const int64_t mostSplits = int64_t{limits::scans::splitCtas} * target.processors / draft.lines;
  if (draft.vectors / draft.ctas > limits::scans::clusterVectors && mostSplits > 1) {
    draft.ctas = 1;
    draft.gridSplits = static_cast<int>(std::min(mostSplits, draft.vectors / limits::scans::splitVectors));
  }
  if (wish.splits && draft.gridSplits > 1)
    draft.gridSplits = static_cast<int>(std::clamp<int64_t>(*wish.splits, 1, mostSplits));
  else if (wish.splits)
    draft.ctas = std::clamp(powerOfTwoFrom(*wish.splits), 1, target.clusterCtas);
  if (draft.gridSplits > 1) draft.resident = static_cast<int>(ceilDiv(draft.lines * draft.gridSplits, target.processors));
  const int64_t each = ceilDiv(draft.vectors, draft.splits());
  const bool isSmall = draft.lines * draft.vectors <= residentThreads(target) && draft.splits() == 1;
  draft.steps = isSmall ? ceilDiv(each, limits::scans::widestBlock) : each / limits::scans::fewestThreads;
  draft.steps = std::clamp<int64_t>(wish.steps.value_or(draft.steps), 1, limits::scans::vectorsAtOnce);
  draft.group = static_cast<int>(std::min<int64_t>(limits::scans::widestBlock, groupOf(ceilDiv(each, draft.steps))));
  if (draft.splits() > 1) draft.group = std::max(draft.group, warp);
  int lines = draft.splits() > 1 ? 1 : std::max(1, limits::gpu::usualBlock / draft.group);
  const int64_t fewest = int64_t{limits::gpu::leastGrid} * target.processors;
  while (lines * draft.group > warp && lines > 1 && ceilDiv(draft.lines, lines) < fewest) lines /= 2;
  while (ceilDiv(draft.lines, lines) > limits::gpu::largestGrid && lines * draft.group * 2 <= limits::scans::widestBlock)
    lines *= 2;
  draft.linesOfCta = lines;
}

void layOutColumns(ScanDraft& draft, const ir::Target& target, const ScanWish& wish) {
  const bool isShort = draft.vectors <= limits::scans::shortColumn;
  const int64_t steps = isShort ? limits::scans::shortColumnElements : limits::scans::vectorsAtOnce;
  draft.steps = std::clamp<int64_t>(wish.steps.value_or(steps), 1, limits::scans::vectorsAtOnce);
  // Threads a line that fill the device.
  const int64_t wanted = int64_t{limits::scans::fillingThreads} * target.processors / draft.lines;
  const int64_t most = powerOfTwoFrom(ceilDiv(draft.vectors, draft.steps));
  draft.group =
      static_cast<int>(powerOfTwoFrom(std::clamp<int64_t>(std::min(wanted, most), 1, limits::scans::mostColumnThreads)));
  const int ofMany = std::max(limits::scans::narrowestTile, std::min(warp, limits::scans::columnBlock / draft.group));
  const int across = draft.group == 1 ? limits::gpu::usualBlock : ofMany;
  draft.linesOfCta = static_cast<int>(std::min<int64_t>(across, powerOfTwoFrom(draft.lines)));
  draft.linesOfCta = std::max(draft.linesOfCta, warp / std::min(warp, draft.group));
  const auto isEnough = [&] {
    const bool fills = ceilDiv(draft.lines, draft.linesOfCta) * draft.ctas >= target.processors;
    return fills || draft.group < limits::scans::mostColumnThreads || draft.vectors < 2 * draft.chunk();
  };
  while (draft.ctas < target.clusterCtas && !isEnough()) draft.ctas *= 2;
  if (wish.splits && draft.group > 1) draft.ctas = std::clamp(powerOfTwoFrom(*wish.splits), 1, target.clusterCtas);
}

ScanDraft draftOf(const IterationDomain& domain, const ir::Target& target, const ScanWish& wish = {}) {
  ScanDraft draft;
  draft.areColumns = !domain.runsAlongElements();
  const std::size_t dim = draft.areColumns ? domain.elementDims() - 1 : domain.innermost();
  draft.lanes = chooseLanes(domain, dim, !draft.areColumns, target);
  const int64_t rows = domain.numel(0, domain.elementDims()), elements = domain.inner().extent;
  draft.lines = draft.areColumns ? rows / draft.lanes : rows;
  draft.vectors = draft.areColumns ? elements : ceilDiv(elements, draft.lanes);
  draft.areColumns ? layOutColumns(draft, target, wish) : layOutRows(draft, target, wish);
  return draft;
}

LayoutSchedule scheduleOf(const ScanDraft& draft, const IterationDomain& domain) {
  enum Dims : std::size_t { kept, scanned };
  LayoutSchedule schedule =
      unscheduled(domain, {domain.elementDims(), domain.dims().size()}, draft.areColumns ? kept : scanned, draft.lanes);
  const Part tiles{kept, Bind::Grid, ceilDiv(draft.lines, draft.linesOfCta)}, splits{scanned, Bind::Grid, draft.gridSplits},
      chunks{scanned, Bind::Serial, ceilDiv(draft.vectors, draft.chunk())}, steps{scanned, Bind::Unrolled, draft.steps},
      ctas{scanned, Bind::Cluster, draft.ctas}, lines{kept, Bind::Thread, draft.linesOfCta},
      group{scanned, Bind::Thread, draft.group};
  std::vector<Part>& parts = schedule.layout.parts;
  if (draft.areColumns)
    parts = {tiles, chunks, ctas, group, lines, steps};
  else
    parts = {tiles, splits, chunks, steps, ctas, lines, group};
  std::erase_if(parts, [](const Part& part) { return part.extent == 1; });
  schedule.resident = draft.resident;
  return schedule;
}

/// Vectors a thread takes at once, and CTAs a row or column.
std::vector<Schedule> otherScans(const LoopNest& nest, const ir::Target& target, const TuningStart& start) {
  if (!start.isChosen) return {};
  const ScanDraft rules = draftOf(nest.domain, target);
  std::vector<Schedule> schedules;
  for (const ScanWish& wish : {ScanWish{.steps = 2 * rules.steps}, ScanWish{.steps = rules.steps / 2},
                               ScanWish{.splits = 2 * rules.splits()}, ScanWish{.splits = rules.splits() / 2}})
    schedules.emplace_back(scheduleOf(draftOf(nest.domain, target, wish), nest.domain));
  return schedules;
}

std::optional<Schedule> chooseScans(const LoopNest& nest, const ir::Target& target) {
  if (!nest.hasScans()) return std::nullopt;
  return scheduleOf(draftOf(nest.domain, target), nest.domain);
}

const ScheduleRule scans{{.order = 30, .choose = chooseScans, .others = otherScans}};

}  // namespace
}  // namespace lowering
