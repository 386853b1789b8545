#include "lowering/analysis/row_accesses.h"

#include <algorithm>
#include <numeric>

namespace lowering {

bool runsAlongRow(const IterationDomain& domain, const Access& access) {
  const bool isRow = domain.moves(access, 0, domain.elementDims()) || domain.numel(0, domain.elementDims()) == 1;
  return isRow && domain.isInnerContiguous(access);
}

bool isRowAccess(const IterationDomain& domain, const Access& access) {
  return runsAlongRow(domain, access) && !access.isMasked();
}

std::vector<const Access*> rowAccesses(const ReductionNest& nest, const IterationDomain& domain) {
  std::vector<const Access*> found;
  for (const Access& access : domain.loads())
    if (isRowAccess(domain, access)) found.push_back(&access);
  for (std::size_t i = nest.rowStores.size(); i < domain.stores().size(); ++i)
    if (isRowAccess(domain, domain.stores()[i])) found.push_back(&domain.stores()[i]);
  return found;
}

bool isStaged(const IterationDomain& domain, const Access& access) {
  const std::size_t rows = domain.elementDims(), all = domain.dims().size();
  return domain.moves(access, 0, rows) && domain.moves(access, rows, all) && access.form && !access.isMasked();
}

std::optional<int64_t> largestShift(const ReductionNest& nest, const IterationDomain& domain, int lanes) {
  const std::vector<const Access*> accesses = rowAccesses(nest, domain);
  const bool areAffine =
      std::all_of(accesses.begin(), accesses.end(), [](const Access* access) { return access->form.has_value(); });
  if (accesses.empty() || !areAffine) return std::nullopt;
  const Access& first = *accesses.front();
  int64_t step = std::gcd(first.form->constant, int64_t{lanes});
  for (const Access* access : accesses) {
    if (access->elementBytes != first.elementBytes || (access->form->constant - first.form->constant) % lanes != 0) return {};
    for (std::size_t d = 0; d < domain.innermost(); ++d) {
      if ((domain.stride(*access, d) - domain.stride(first, d)) % lanes != 0) return {};
      step = std::gcd(step, domain.stride(*access, d));
    }
  }
  return lanes - step;
}

}  // namespace lowering
