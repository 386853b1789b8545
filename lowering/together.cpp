#include "lowering/together.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "lowering/beside.h"

namespace lowering {
namespace {

/// What two launches read twice must come from the cache the second time.
bool isSmall(const std::vector<ir::Loops>& all, const ir::Target& target) {
  std::map<int, int64_t> bytes;  // by value
  for (const ir::Loops& loops : all)
    for (const ir::Buffer& buffer : loops.buffers) bytes[buffer.value] = buffer.type.bytesTouched();
  const auto add = [](int64_t sum, const auto& one) { return sum + one.second; };
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0}, add) < target.cacheBytes;
}

/// Columns under as many threads as a CTA of rows has.
void match(ColumnTiling& columns, const RowTiling& rows) {
  const int down = rows.block / columns.across;
  const bool fits = rows.ctas == 1 && rows.shares == 1 && columns.shares == 1 && !columns.isDirect() &&
                    columns.across * down == rows.block && down >= columns.lanes && rows.block % 32 == 0;
  if (fits) columns.down = down;
}

}  // namespace

std::vector<Tiling> chooseTilings(const std::vector<ir::Loops>& all, const ir::Target& target) {
  std::vector<Tiling> tilings;
  for (const ir::Loops& loops : all) tilings.push_back(chooseTiling(loops, target));
  if (tilings.size() != 2 || !isSmall(all, target)) return tilings;
  for (std::size_t i = 0; i < 2; ++i) {
    auto* columns = std::get_if<ColumnTiling>(&tilings[i]);
    const auto* rows = std::get_if<RowTiling>(&tilings[1 - i]);
    if (columns != nullptr && rows != nullptr) match(*columns, *rows);
  }
  return tilings;
}

std::vector<ir::Kernel> joined(std::vector<ir::Kernel> kernels) {
  if (kernels.size() != 2) return kernels;
  // Clusters come first, and of two kernels without the smaller one: what takes longest to start starts first.
  const auto isLater = [](const ir::Kernel& a, const ir::Kernel& b) {
    return a.launch.cluster != b.launch.cluster ? a.launch.cluster < b.launch.cluster : a.launch.grid > b.launch.grid;
  };
  const bool swaps = isLater(kernels[0], kernels[1]);
  const std::optional<ir::Kernel> one = beside(kernels[swaps ? 1 : 0], kernels[swaps ? 0 : 1]);
  if (!one) return kernels;
  return {*one};
}

}  // namespace lowering
