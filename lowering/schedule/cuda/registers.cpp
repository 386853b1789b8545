#include "lowering/schedule/cuda/registers.h"

#include <algorithm>

namespace lowering {

void RowRegisters::addLoads() {
  const IterationDomain& domain = kernel_.domain();
  for (const Access& access : domain.loads())
    if (!domain.varies(access, domain.elementDims(), domain.dims().size()))
      registers_[access.node] =
          kernel_.addLocal(kernel_.bufferName(access.buffer) + "_row", access.node->dtype, 1, ir::Space::Private);
}

ir::Block RowRegisters::statement(const LanePlace& row, std::vector<ir::Store> stores) const {
  if (stores.empty()) return {};
  ir::Lanes lanes = kernel_.lanes(row);
  lanes.stores = std::move(stores);
  return {{std::move(lanes)}};
}

ir::Block RowRegisters::read(const LanePlace& row) const {
  const LoadMap memory = readLanes(kernel_.pool(), kernel_.domain(), row);
  std::vector<ir::Store> stores;
  for (const Access& access : kernel_.domain().loads())
    if (const auto local = registers_.find(access.node); local != registers_.end())
      stores.push_back({local->second, first(), memory.at(access.node), true, {}});
  return statement(row, std::move(stores));
}

ir::Block RowRegisters::compute(int traversal, const LanePlace& row, const LoadMap& bindings) {
  const ReductionNest& nest = kernel_.nest();
  std::vector<ir::Store> stores;
  for (const auto& [value, needed] : rowValues(nest)) {
    const bool isNeeded = needed == traversal || (needed == nest.traversals() && traversal == nest.storingTraversal());
    const bool isConverted = value->op == ir::Op::Cast && registers_.contains(value->src[0]);
    if (!isNeeded || isConverted || registers_.contains(value)) continue;
    registers_[value] = kernel_.addLocal("of_row", value->dtype, 1, ir::Space::Private);
    stores.push_back({registers_[value], first(), kernel_.domain().at(value, row.each, bindings), true, {}});
  }
  return statement(row, std::move(stores));
}

void RowRegisters::addTo(LoadMap& bindings) const {
  for (const auto& [value, local] : registers_) bindings[value] = kernel_.pool().load(local, value->dtype, first());
}

const ir::Expr* RowValues::of(const ir::Expr* load) const {
  const auto value = values_.find(load);
  return value == values_.end() ? load : value->second;
}

std::set<const ir::Expr*> RowValues::of(const std::set<const ir::Expr*>& loads) const {
  std::set<const ir::Expr*> values;
  for (const ir::Expr* load : loads) values.insert(of(load));
  return values;
}

std::vector<const ir::Expr*> RowValues::inOrder(const std::map<const ir::Expr*, int>& places) const {
  std::vector<const ir::Expr*> values;
  for (const Access& access : kernel_.domain().loads()) {
    const ir::Expr* value = of(access.node);
    if (places.contains(value) && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

void FunctionRegisters::add(const HeldValues& held, int64_t vectors, int lanes) {
  for (const TraversalValue& function : repeatedFunctions(kernel_.nest(), held))
    registers_.emplace_back(function,
                            kernel_.addLocal("kept", function.value->dtype, vectors * lanes, ir::Space::Private, lanes));
}

std::vector<ir::Store> FunctionRegisters::stores(int traversal, const LanePlace& at, const ir::Expr* slot,
                                                 const LoadMap& bindings) const {
  std::vector<ir::Store> all;
  for (const auto& [function, local] : registers_)
    if (function.traversal == traversal)
      all.push_back({local, slot, kernel_.domain().at(function.value, at.each, bindings), true, {}});
  return all;
}

void FunctionRegisters::addTo(LoadMap& bindings, int traversal, const ir::Expr* slot) const {
  for (const auto& [function, local] : registers_)
    if (function.traversal < traversal)
      bindings[function.value] = kernel_.pool().load(local, function.value->dtype, slot, ir::LoadMode::Contiguous);
}

}  // namespace lowering
