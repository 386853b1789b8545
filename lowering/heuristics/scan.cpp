#include "lowering/heuristics/scan.h"

#include <algorithm>
#include <bit>

#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"

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

void layOutRows(ScanTiling& tiling, const ir::Target& target, const ScanWish& wish) {
  const auto isEnough = [&] {
    const int64_t ctas = tiling.lines * tiling.ctas, each = tiling.vectors / tiling.ctas;
    const bool hasChunks = each > limits::scans::widestBlock * limits::scans::vectorsAtOnce;
    const int64_t filled = hasChunks ? target.processors : limits::gpu::filledDevice.of(target.processors);
    return ctas > filled || each < limits::gpu::leastClusterVectors;
  };
  while (tiling.ctas < target.clusterCtas && !isEnough()) tiling.ctas *= 2;
  const int64_t mostSplits = int64_t{limits::scans::splitCtas} * target.processors / tiling.lines;
  if (tiling.vectors / tiling.ctas > limits::scans::clusterVectors && mostSplits > 1) {
    tiling.ctas = 1;
    tiling.gridSplits = static_cast<int>(std::min(mostSplits, tiling.vectors / limits::scans::splitVectors));
  }
  if (wish.splits && tiling.gridSplits > 1)
    tiling.gridSplits = static_cast<int>(std::clamp<int64_t>(*wish.splits, 1, mostSplits));
  else if (wish.splits)
    tiling.ctas = std::clamp(powerOfTwoFrom(*wish.splits), 1, target.clusterCtas);
  if (tiling.gridSplits > 1) tiling.resident = static_cast<int>(ceilDiv(tiling.lines * tiling.gridSplits, target.processors));
  const int64_t each = ceilDiv(tiling.vectors, tiling.splits());
  const bool isSmall = tiling.lines * tiling.vectors <= residentThreads(target) && tiling.splits() == 1;
  tiling.steps = isSmall ? ceilDiv(each, limits::scans::widestBlock) : each / limits::scans::fewestThreads;
  tiling.steps = std::clamp<int64_t>(wish.steps.value_or(tiling.steps), 1, limits::scans::vectorsAtOnce);
  tiling.group = static_cast<int>(std::min<int64_t>(limits::scans::widestBlock, groupOf(ceilDiv(each, tiling.steps))));
  if (tiling.splits() > 1) tiling.group = std::max(tiling.group, warp);
  int lines = tiling.splits() > 1 ? 1 : std::max(1, limits::gpu::usualBlock / tiling.group);
  const int64_t fewest = int64_t{limits::gpu::leastGrid} * target.processors;
  while (lines * tiling.group > warp && lines > 1 && ceilDiv(tiling.lines, lines) < fewest) lines /= 2;
  while (ceilDiv(tiling.lines, lines) > limits::gpu::largestGrid && lines * tiling.group * 2 <= limits::scans::widestBlock)
    lines *= 2;
  tiling.block = tiling.group * lines;
}

void layOutColumns(ScanTiling& tiling, const ir::Target& target, const ScanWish& wish) {
  const bool isShort = tiling.vectors <= limits::scans::shortColumn;
  const int64_t steps = isShort ? limits::scans::shortColumnElements : limits::scans::vectorsAtOnce;
  tiling.steps = std::clamp<int64_t>(wish.steps.value_or(steps), 1, limits::scans::vectorsAtOnce);
  // Threads a line that fill the device.
  const int64_t wanted = int64_t{limits::scans::fillingThreads} * target.processors / tiling.lines;
  const int64_t most = powerOfTwoFrom(ceilDiv(tiling.vectors, tiling.steps));
  tiling.group =
      static_cast<int>(powerOfTwoFrom(std::clamp<int64_t>(std::min(wanted, most), 1, limits::scans::mostColumnThreads)));
  const int ofMany = std::max(limits::scans::narrowestTile, std::min(warp, limits::scans::columnBlock / tiling.group));
  const int across = tiling.group == 1 ? limits::gpu::usualBlock : ofMany;
  tiling.across = static_cast<int>(std::min<int64_t>(across, powerOfTwoFrom(tiling.lines)));
  tiling.across = std::max(tiling.across, warp / std::min(warp, tiling.group));
  tiling.block = tiling.across * tiling.group;
  const auto isEnough = [&] {
    const bool fills = ceilDiv(tiling.lines, tiling.across) * tiling.ctas >= target.processors;
    return fills || tiling.group < limits::scans::mostColumnThreads || tiling.vectors < 2 * tiling.chunk();
  };
  while (tiling.ctas < target.clusterCtas && !isEnough()) tiling.ctas *= 2;
  if (wish.splits && tiling.group > 1) tiling.ctas = std::clamp(powerOfTwoFrom(*wish.splits), 1, target.clusterCtas);
}

}  // namespace

int64_t ScanTiling::chunks() const { return ceilDiv(vectors, chunk() * gridSplits); }

ScanTiling chooseScanTiling(const IterationDomain& domain, const ir::Target& target, const ScanWish& wish) {
  ScanTiling tiling;
  tiling.columns = !domain.runsAlongElements();
  const std::size_t dim = tiling.columns ? domain.elementDims() - 1 : domain.innermost();
  tiling.lanes = chooseLanes(domain, dim, !tiling.columns, target);
  const int64_t rows = domain.numel(0, domain.elementDims()), elements = domain.inner().extent;
  tiling.lines = tiling.columns ? rows / tiling.lanes : rows;
  tiling.vectors = tiling.columns ? elements : ceilDiv(elements, tiling.lanes);
  tiling.columns ? layOutColumns(tiling, target, wish) : layOutRows(tiling, target, wish);
  return tiling;
}

}  // namespace lowering
