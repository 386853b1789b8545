#pragma once

#include <utility>
#include <vector>

#include "lowering/analysis/reuse.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {

/// Registers for functions of elements, such as exponentials, that one traversal computes and a later one needs again.
class FunctionRegisters {
 public:
  explicit FunctionRegisters(NestKernel& kernel) : kernel_(kernel) {}

  /// Adds them for so many vectors of elements of each thread.
  void add(int64_t vectors, int lanes);
  /// Stores those that a traversal computes first, of the vector from element `slot` on; `bindings` replace its loads.
  std::vector<ir::Store> stores(int traversal, const LanePlace& at, const ir::Expr* slot, const LoadMap& bindings) const;
  /// Adds to what expressions are read as those that are there before a traversal.
  void addTo(LoadMap& bindings, int traversal, const ir::Expr* slot) const;

 private:
  NestKernel& kernel_;
  std::vector<std::pair<TraversalValue, int>> registers_;
};

}  // namespace lowering
