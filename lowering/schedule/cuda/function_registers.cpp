#include "lowering/schedule/cuda/function_registers.h"

namespace lowering {

void FunctionRegisters::add(int64_t vectors, int lanes) {
  for (const PassValue& function : repeatedFunctions(kernel_.nest()))
    registers_.emplace_back(function,
                            kernel_.addLocal("kept", function.value->dtype, vectors * lanes, ir::Space::Register, lanes));
}

std::vector<ir::Store> FunctionRegisters::stores(int pass, const LanePlace& at, const ir::Expr* slot,
                                                 const LoadMap& known) const {
  std::vector<ir::Store> all;
  for (const auto& [function, local] : registers_)
    if (function.pass == pass) all.push_back({local, slot, kernel_.domain().at(function.value, at.each, known), true, {}});
  return all;
}

void FunctionRegisters::addTo(LoadMap& known, int pass, const ir::Expr* slot) const {
  for (const auto& [function, local] : registers_)
    if (function.pass < pass)
      known[function.value] = kernel_.pool().load(local, function.value->dtype, slot, ir::LoadMode::Contiguous);
}

}  // namespace lowering
