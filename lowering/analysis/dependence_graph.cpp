#include "lowering/analysis/dependence_graph.h"

#include <algorithm>

#include "ir/error.h"

namespace lowering {
namespace {

/// Whether one of them writes what the other one reads or writes, and not each a part of its own.
bool interfere(const std::vector<ir::Buffer>& a, const std::vector<ir::Buffer>& b) {
  return std::any_of(a.begin(), a.end(), [&](const ir::Buffer& x) {
    return std::any_of(b.begin(), b.end(), [&](const ir::Buffer& y) {
      return x.value == y.value && (x.isWritten || y.isWritten) && !(x.isPart && y.isPart);
    });
  });
}

}  // namespace

DependenceGraph::DependenceGraph(const std::vector<std::vector<ir::Buffer>>& parts)
    : leads_(parts.size(), std::vector<bool>(parts.size())), isMerged_(parts.size()) {
  for (std::size_t later = 0; later < parts.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (!interfere(parts[earlier], parts[later])) continue;
      leads_[earlier][later] = true;
      for (std::size_t before = 0; before < earlier; ++before)
        if (leads_[before][earlier]) leads_[before][later] = true;
    }
  }
}

std::vector<std::size_t> DependenceGraph::order() const {
  std::vector<std::size_t> left, order;
  for (std::size_t part = 0; part < leads_.size(); ++part)
    if (!isMerged_[part]) left.push_back(part);
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](std::size_t part) {
      return std::none_of(left.begin(), left.end(), [&](std::size_t other) { return leads(other, part); });
    });
    ir::require(next != left.end(), "parts depend on each other");
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

bool DependenceGraph::canMerge(std::size_t a, std::size_t b) const {
  for (std::size_t part = 0; part < leads_.size(); ++part)
    if ((leads(a, part) && leads(part, b)) || (leads(b, part) && leads(part, a))) return false;
  return true;
}

void DependenceGraph::merge(std::size_t a, std::size_t b) {
  ir::require(a != b && !isMerged_[a] && !isMerged_[b] && canMerge(a, b), "parts {} and {} cannot run as one", a, b);
  isMerged_[b] = true;
  const std::size_t count = leads_.size();
  for (std::size_t part = 0; part < count; ++part) {
    leads_[a][part] = leads_[a][part] || leads_[b][part];
    leads_[part][a] = leads_[part][a] || leads_[part][b];
    leads_[b][part] = leads_[part][b] = false;
  }
  leads_[a][a] = leads_[a][b] = leads_[b][a] = false;
  for (std::size_t before = 0; before < count; ++before)
    for (std::size_t after = 0; after < count; ++after)
      if (leads_[before][a] && leads_[a][after]) leads_[before][after] = true;
}

}  // namespace lowering
