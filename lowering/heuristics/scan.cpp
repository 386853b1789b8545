#include "lowering/heuristics/scan.h"

#include <algorithm>
#include <bit>

#include "lowering/heuristics/gpu_limits.h"

namespace lowering {
namespace {

constexpr int warp = ir::Target::warp;
constexpr int64_t mostSteps = 4;  // vectors that a thread takes at once: they are in flight together, and stay in registers
constexpr int mostThreads = 512;  // of a CTA
constexpr int64_t fewestVectors = 1024;  // vectors that are worth another CTA
constexpr int64_t mostOfCta = 4096;      // vectors a CTA of a cluster takes before the whole grid does better
constexpr int residentSplits = 2;        // CTAs that share rows, of a multiprocessor: all of them run at the same time
constexpr int64_t manyCtas = 6144;       // to launch one takes 0.6 ns

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
    const bool fills = each > mostThreads * mostSteps ? ctas > target.processors : ctas * 4 > int64_t{target.processors} * 3;
    return fills || each < fewestVectors;
  };
  while (tiling.ctas < target.clusterCtas && !isEnough()) tiling.ctas *= 2;
  const int64_t mostSplits = int64_t{residentSplits} * target.processors / tiling.lines;
  if (tiling.vectors / tiling.ctas > mostOfCta && mostSplits > 1) {
    tiling.ctas = 1;
    tiling.gridSplits = static_cast<int>(std::min(mostSplits, tiling.vectors / (fewestVectors / 2)));
  }
  if (wish.splits && tiling.gridSplits > 1)
    tiling.gridSplits = static_cast<int>(std::clamp<int64_t>(*wish.splits, 1, mostSplits));
  else if (wish.splits)
    tiling.ctas = std::clamp(powerOfTwoFrom(*wish.splits), 1, target.clusterCtas);
  if (tiling.gridSplits > 1) tiling.resident = static_cast<int>(ceilDiv(tiling.lines * tiling.gridSplits, target.processors));
  const int64_t each = ceilDiv(tiling.vectors, tiling.splits());
  const bool isSmall = tiling.lines * tiling.vectors <= residentThreads(target) && tiling.splits() == 1;
  tiling.steps = isSmall ? ceilDiv(each, mostThreads) : each / 8;
  tiling.steps = std::clamp<int64_t>(wish.steps.value_or(tiling.steps), 1, mostSteps);
  tiling.group = static_cast<int>(std::min<int64_t>(mostThreads, groupOf(ceilDiv(each, tiling.steps))));
  if (tiling.splits() > 1) tiling.group = std::max(tiling.group, warp);
  int lines = tiling.splits() > 1 ? 1 : std::max(1, 128 / tiling.group);
  while (lines * tiling.group > warp && lines > 1 && ceilDiv(tiling.lines, lines) < int64_t{2} * target.processors) lines /= 2;
  while (ceilDiv(tiling.lines, lines) > manyCtas && lines * tiling.group * 2 <= mostThreads) lines *= 2;
  tiling.block = tiling.group * lines;
}

void layOutColumns(ScanTiling& tiling, const ir::Target& target, const ScanWish& wish) {
  tiling.steps = std::clamp<int64_t>(wish.steps.value_or(tiling.vectors <= 16 ? 2 : mostSteps), 1, mostSteps);
  const int64_t wanted = int64_t{1024} * target.processors / tiling.lines;  // threads a line that fill the device
  const int64_t most = powerOfTwoFrom(ceilDiv(tiling.vectors, tiling.steps));
  tiling.group = static_cast<int>(powerOfTwoFrom(std::clamp<int64_t>(std::min(wanted, most), 1, 64)));
  const int across = tiling.group == 1 ? 128 : std::max(8, std::min(warp, 256 / tiling.group));
  tiling.across = static_cast<int>(std::min<int64_t>(across, powerOfTwoFrom(tiling.lines)));
  tiling.across = std::max(tiling.across, warp / std::min(warp, tiling.group));
  tiling.block = tiling.across * tiling.group;
  const auto isEnough = [&] {
    const bool fills = ceilDiv(tiling.lines, tiling.across) * tiling.ctas >= target.processors;
    return fills || tiling.group < 64 || tiling.vectors < 2 * tiling.chunk();
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
