#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/tensor/reductions.h"

namespace lowering {

/// Reductions that the loops which need them cannot compute: terms of a larger one, whose sums run over other axes (a group's sum
/// is made of its channels' sums); reductions over other axes than the stored elements have; and reductions that the loops would
/// compute at more points than there are elements. They are values of their own, which loops before these store.
class Intermediates {
 public:
  /// `first` is the number of the first such value.
  Intermediates(ir::ExprPool& pool, Reductions& reductions, std::size_t first)
      : pool_(pool), reductions_(reductions), first_(first) {}

  /// Sets apart what loops over these axes that store these results cannot compute; whether there is anything.
  bool separate(const std::vector<const ir::Expr*>& results, const std::vector<const ir::Expr*>& axes);
  /// An expression, stored for elements of these sizes, that reads intermediates; but for values of the same sizes, which
  /// the same loops compute.
  const ir::Expr* read(const ir::Expr* expr, const ir::Shape& sizes);

  /// The intermediates: types, and the values' numbers.
  const std::vector<ir::GraphValue>& values() const { return values_; }
  bool contains(int value) const { return static_cast<std::size_t>(value) >= first_; }
  std::size_t first() const { return first_; }
  const ir::Shape& sizes(int value) const { return type(value).sizes; }
  /// How an element of such a value is computed, from other intermediates where there are some.
  const ir::Expr* at(int value, const Index& index);

 private:
  const ir::TensorType& type(int value) const { return values_.at(static_cast<std::size_t>(value) - first_).type; }
  /// Which element of a tensor a reduction is, and where its loads read at all; null where they always do.
  struct Known {
    Reductions::Element element;
    const ir::Expr* guard = nullptr;
  };
  std::optional<Known> find(const ir::Expr* reduce) const;
  /// Reductions that are computed at more points than their tensor has elements.
  std::set<const ir::Expr*> recomputed(const std::vector<const ir::Expr*>& nodes) const;
  void add(std::size_t tensor);
  /// A Reduce whose body reads intermediates.
  const ir::Expr* reading(const ir::Expr* reduce, const ir::Shape& sizes);

  ir::ExprPool& pool_;
  Reductions& reductions_;
  std::size_t first_;
  std::vector<std::size_t> tensors_;  ///< of the reductions, by value
  std::vector<ir::GraphValue> values_;
  std::map<std::pair<const ir::Expr*, ir::Shape>, const ir::Expr*> reading_;  ///< by reduction and sizes, since the last add()
};

/// The intermediates of a graph's loops: values that loops store for later ones, numbered on from the graph's.
std::vector<ir::GraphValue> intermediatesOf(const ir::Graph& graph, std::span<const LoopNest> nests);

}  // namespace lowering
