#pragma once

#include <vector>

#include "lowering/analysis/loop_nest.h"

namespace lowering {

/// Pairs of loops that reduce one matrix and have one schedule: no loops are in two of them, and what becomes one kernel does not
/// have to wait for itself.
class MixedOrderKernels {
 public:
  explicit MixedOrderKernels(const LoopNests& nests) : isTaken_(nests.all.size()), graph_(dependencesOf(nests.all)) {}

  /// Whether the pair can be one beside the pairs that were added before.
  bool canAdd(const MixedOrderPair& pair) const {
    return !isTaken_[pair.first] && !isTaken_[pair.second] && graph_.canMerge(pair.first, pair.second);
  }
  void add(const MixedOrderPair& pair) {
    isTaken_[pair.first] = isTaken_[pair.second] = true;
    graph_.merge(pair.first, pair.second);
  }
  bool isTaken(std::size_t nest) const { return isTaken_[nest]; }
  /// The loops that start a kernel, in an order in which kernels can run.
  std::vector<std::size_t> order() const { return graph_.order(); }

 private:
  std::vector<bool> isTaken_;
  DependenceGraph graph_;
};

}  // namespace lowering
