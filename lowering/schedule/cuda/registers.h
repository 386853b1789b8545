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

/// What a kernel holds for loads: values that take less (heldValues), or the loads as they are.
class RowValues {
 public:
  explicit RowValues(NestKernel& kernel) : kernel_(kernel) {}

  /// Adds the nest's held values.
  void add() { values_ = heldValues(kernel_.nest(), kernel_.domain()); }
  const HeldValues& all() const { return values_; }
  /// The value that is held for a load, or for loads: itself, or what is made of it.
  const ir::Expr* of(const ir::Expr* load) const;
  std::set<const ir::Expr*> of(const std::set<const ir::Expr*>& loads) const;
  /// Values that have a place, in the order in which the domain loads them.
  std::vector<const ir::Expr*> inOrder(const std::map<const ir::Expr*, int>& places) const;

 private:
  NestKernel& kernel_;
  HeldValues values_;
};

/// Registers for functions of elements, such as exponentials, that one traversal computes and a later one needs again.
class FunctionRegisters {
 public:
  explicit FunctionRegisters(NestKernel& kernel) : kernel_(kernel) {}

  /// Adds them for so many vectors of elements of each thread. What `held` values are computed of needs none.
  void add(const HeldValues& held, int64_t vectors, int lanes);
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
