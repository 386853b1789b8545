#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lowering/analysis/reuse.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {

/// Registers for hoisted values of a row: loads that do not vary along it, and what is computed of these and of reductions'
/// results.
class RowRegisters {
 public:
  explicit RowRegisters(NestKernel& kernel) : kernel_(kernel) {}

  /// Adds the domain's loads with affine offsets.
  void addLoads();
  /// Reads the loads at a place of a row, of one lane.
  ir::Block read(const LanePlace& row) const;
  /// Computes there the values of a traversal that depend on its row alone, but for conversions of loads, so that they are
  /// computed once for all of a thread's vectors. `bindings` replace loads.
  ir::Block compute(int traversal, const LanePlace& row, const LoadMap& bindings);
  /// Adds the registers to what loads and expressions are read as.
  void addTo(LoadMap& bindings) const;

 private:
  const ir::Expr* first() const { return kernel_.number(0).expr(); }
  ir::Block statement(const LanePlace& row, std::vector<ir::Store> stores) const;

  NestKernel& kernel_;
  std::map<const ir::Expr*, int> registers_;
};

/// What kernels hold for loads: the choice between several tensors (choicesOf) as one value, other loads as they are.
class RowChoices {
 public:
  explicit RowChoices(NestKernel& kernel) : kernel_(kernel) {}

  /// Adds the nest's choices (choicesOf).
  void add() { choices_ = choicesOf(kernel_.nest(), kernel_.domain()); }
  /// The value that is held for a load, or for loads: itself, or the choice that it is of.
  const ir::Expr* of(const ir::Expr* load) const;
  std::set<const ir::Expr*> of(const std::set<const ir::Expr*>& loads) const;
  /// Values that have a place, in the order in which the domain loads them.
  std::vector<const ir::Expr*> inOrder(const std::map<const ir::Expr*, int>& places) const;

 private:
  NestKernel& kernel_;
  std::map<const ir::Expr*, const ir::Expr*> choices_;
};

/// Registers for functions of elements, such as exponentials, that one traversal computes and a later one needs again.
class FunctionRegisters {
 public:
  explicit FunctionRegisters(NestKernel& kernel) : kernel_(kernel) {}

  /// Adds them for so many vectors of elements of each thread.
  void add(int64_t vectors, int lanes);
  /// The stores of the results that a traversal computes first, of the vector from element `slot` on; `bindings` replace its
  /// loads.
  std::vector<ir::Store> stores(int traversal, const LanePlace& at, const ir::Expr* slot, const LoadMap& bindings) const;
  /// Adds to `bindings` the results that are there before a traversal.
  void addTo(LoadMap& bindings, int traversal, const ir::Expr* slot) const;

 private:
  NestKernel& kernel_;
  std::vector<std::pair<TraversalValue, int>> registers_;
};

}  // namespace lowering
