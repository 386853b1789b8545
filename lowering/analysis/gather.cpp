#include "lowering/analysis/gather.h"

#include <algorithm>

#include "lowering/analysis/lane_mask.h"
#include "lowering/analysis/share.h"

namespace lowering {

bool isIrregular(const IterationDomain& domain, const Access& load, std::size_t dim) {
  if (domain.isIndirect(load, dim)) return true;
  const std::vector<const ir::Expr*>& axes = domain.dims()[dim].axes;
  return load.isMasked() &&
         std::any_of(axes.begin(), axes.end(), [&](const ir::Expr* axis) { return ir::dependsOn(load.node->src[1], axis); });
}

double gatheredBytes(const IterationDomain& domain, std::size_t dim, int64_t lanes) {
  const std::vector<const ir::Expr*>& axes = domain.dims()[dim].axes;
  const auto isOfVectors = [&](const Access& load) {
    return std::all_of(axes.begin(), axes.end(), [&](const ir::Expr* axis) {
      return !load.isMasked() || isSameForLanes(domain.pool(), load.node->src[1], axis, lanes);
    });
  };
  double bytes = 0;
  for (const Access& load : domain.loads()) {
    const bool isVector = domain.isContiguous(load, dim) && isOfVectors(load);
    if (isVector || domain.isUniform(load, dim)) continue;
    bytes += static_cast<double>(load.elementBytes) * (load.isMasked() ? shareOf(load.node->src[1]) : 1);
  }
  return bytes;
}

int lanesGathering(const IterationDomain& domain, std::size_t dim, int lanes, int64_t mostBytes) {
  while (lanes > 1 && lanes * gatheredBytes(domain, dim, lanes) > static_cast<double>(mostBytes)) lanes /= 2;
  return lanes;
}

}  // namespace lowering
