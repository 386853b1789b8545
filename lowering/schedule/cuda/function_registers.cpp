#include "lowering/schedule/cuda/function_registers.h"

namespace lowering {

void FunctionRegisters::add(int64_t vectors, int lanes) {
  for (const TraversalValue& function : repeatedFunctions(kernel_.nest()))
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
