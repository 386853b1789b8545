#include "lowering/analysis/transposition.h"

#include <algorithm>
#include <map>

namespace lowering {
namespace {

/// Whether an access is masked, if at all, by a condition on where it is outside of a dim, and on nothing in memory.
bool isMaskedOutside(const IterationDomain& domain, const Access& access, std::size_t dim) {
  if (!access.isMasked()) return true;
  const ir::Expr* mask = access.node->src[1];
  const std::vector<const ir::Expr*> nodes = ir::postorder({mask});
  const auto isLoad = [](const ir::Expr* node) { return node->op == ir::Op::Load; };
  const auto dependsOn = [&](const ir::Expr* axis) { return ir::dependsOn(mask, axis); };
  const std::vector<const ir::Expr*>& axes = domain.dims()[dim].axes;
  return std::none_of(nodes.begin(), nodes.end(), isLoad) && std::none_of(axes.begin(), axes.end(), dependsOn);
}

/// The dim of most bytes along which accesses are contiguous that move along the innermost dim without being contiguous there.
std::optional<std::size_t> crossingDim(const IterationDomain& domain) {
  std::map<std::size_t, int64_t> bytes;
  for (const std::vector<Access>* accesses : {&domain.loads(), &domain.stores()})
    for (const Access& access : *accesses) {
      if (!access.form || domain.isInnerContiguous(access) || domain.isInnerUniform(access)) continue;
      for (std::size_t d = 0; d < domain.innermost(); ++d)
        if (domain.isContiguous(access, d) && isMaskedOutside(domain, access, d)) bytes[d] += access.elementBytes;
    }
  const auto most = std::max_element(bytes.begin(), bytes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return most == bytes.end() ? std::nullopt : std::optional(most->first);
}

}  // namespace

bool crosses(const IterationDomain& domain, const Access& access) {
  return domain.isContiguous(access, domain.innermost()) && !domain.isUniform(access, domain.elementDims() - 1) &&
         isMaskedOutside(domain, access, domain.innermost());
}

int64_t bytesReadAcross(const Transposition& transposition) {
  int64_t bytes = 0;
  for (const Access& load : transposition.domain.loads())
    if (crosses(transposition.domain, load)) bytes += load.elementBytes;
  return bytes;
}

std::optional<Transposition> transpositionOf(const ir::Loops& loops, const IterationDomain& domain) {
  if (domain.accumulates() || !domain.isInnerContiguous(domain.stores().front())) return std::nullopt;
  const std::optional<std::size_t> crossing = crossingDim(domain);
  if (!crossing) return std::nullopt;
  ReductionNest nest;
  nest.elementStores = loops.stores;
  for (std::size_t d = 0; d < domain.dims().size(); ++d) {
    std::vector<const ir::Expr*>& axes = d == *crossing ? nest.reduced : nest.kept;
    axes.insert(axes.end(), domain.dims()[d].axes.begin(), domain.dims()[d].axes.end());
  }
  IterationDomain inStoreOrder(loops, nest, loops.stores.front());
  return Transposition{std::move(nest), std::move(inStoreOrder)};
}

std::optional<Transposition> transpositionOf(const ir::Loops& loops, const ReductionNest& nest) {
  if (nest.scans || nest.elementStores.empty() || nest.traversals() > 1 || nest.storingTraversal() > 0) return std::nullopt;
  IterationDomain domain(loops, nest, nest.elementStores.front());
  const Access& store = domain.stores()[nest.rowStores.size()];
  const bool isOneAxis = domain.elementDims() == domain.innermost();
  if (domain.accumulates() || !isOneAxis || !domain.isContiguous(store, domain.elementDims() - 1)) return std::nullopt;
  const auto loadCrosses = [&](const Access& load) { return crosses(domain, load); };
  if (std::none_of(domain.loads().begin(), domain.loads().end(), loadCrosses)) return std::nullopt;
  return Transposition{nest, std::move(domain)};
}

}  // namespace lowering
