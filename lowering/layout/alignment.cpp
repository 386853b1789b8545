#include "lowering/layout/alignment.h"

#include <algorithm>

namespace lowering {
namespace {

constexpr int64_t leastRegisters = 8;  ///< of a row that begins with a masked vector

/// Whether all stores run along the inner dim and are, at every place, equally far from a multiple of so many elements.
bool areAlike(const IterationDomain& domain, ElementStores stores, int64_t elements) {
  const auto isLikeFirst = [&](const Access& store) {
    if (!store.form || !domain.isInnerContiguous(store) || store.elementBytes != stores.front().elementBytes) return false;
    if ((store.form->constant - stores.front().form->constant) % elements != 0) return false;
    for (std::size_t d = 0; d < domain.innermost(); ++d)
      if ((domain.stride(store, d) - domain.stride(stores.front(), d)) % elements != 0) return false;
    return true;
  };
  return std::all_of(stores.begin(), stores.end(), isLikeFirst);
}

}  // namespace

int64_t alignmentOf(ElementStores stores, int lanes, const ir::Target& target) {
  int64_t elements = 1;
  for (const Access& store : stores)
    elements = std::max(elements, std::min<int64_t>(lanes, target.vectorBytes / store.elementBytes));
  return elements;
}

bool areAligned(const IterationDomain& domain, ElementStores stores, std::size_t dim, int lanes, const ir::Target& target) {
  const int64_t elements = alignmentOf(stores, lanes, target);
  return std::all_of(stores.begin(), stores.end(), [&](const Access& store) {
    return domain.isContiguous(store, dim) && domain.isAligned(store, static_cast<int>(elements), dim);
  });
}

bool canHaveHead(const IterationDomain& domain, ElementStores stores, int lanes, const ir::Target& target) {
  return !stores.empty() && areAlike(domain, stores, alignmentOf(stores, lanes, target));
}

bool hasRoomForHead(ElementStores stores, int64_t count, int lanes, const ir::Target& target) {
  return count >= leastRegisters * alignmentOf(stores, lanes, target);
}

}  // namespace lowering
