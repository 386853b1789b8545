#pragma once

#include <optional>
#include <vector>

#include "ir/loops.h"
#include "ir/target.h"
#include "lowering/analysis/dependence_graph.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/mixed_order.h"
#include "lowering/analysis/reduction_nest.h"
#include "lowering/analysis/transposition.h"

namespace lowering {

/// Loops with the facts about them that fusion, heuristics and schedules ask for. `analyze` finds these once, as soon as the
/// loops are made.
struct LoopNest {
  ir::Loops loops;
  std::optional<ReductionNest> reduction;         ///< absent from pointwise loops
  IterationDomain domain;                         ///< of the reduction, or of the pointwise loops
  std::optional<MixedOrderReduction> mixedOrder;  ///< on GPUs: the loops as a reduction of a matrix, where they are one
  std::optional<Transposition> transposition;     ///< where tensors run along different axes; of reductions on GPUs alone

  bool hasReductions() const { return reduction && !reduction->scans; }
  bool hasScans() const { return reduction && reduction->scans; }
  /// The value of the graph that a buffer stands for.
  int valueOf(int buffer) const { return loops.buffers[static_cast<std::size_t>(buffer)].value; }
  /// Whether the loops store a part of a tensor (ir::Buffer::isPart).
  bool isPiece() const;
  /// `mixedOrder`, or null.
  const MixedOrderReduction* matrix() const { return mixedOrder ? &*mixedOrder : nullptr; }
};

/// Two loops of one graph that reduce one matrix, one along its rows and one along its columns.
struct MixedOrderPair {
  std::size_t first = 0, second = 0;  ///< among the graph's loops
  MixedOrderReduction matrix;
  int64_t sharedBytes = 0;  ///< of the tensors that both read
};

/// The loops of one graph, in their order.
struct LoopNests {
  std::vector<LoopNest> all;
  std::vector<MixedOrderPair> mixedOrders;  ///< on GPUs: all pairs that can be; pairs that share most come first
};

/// Bytes of the tensors that loops read or write, each once.
int64_t touchedBytes(const std::vector<const LoopNest*>& nests);
/// Bytes of the tensors that both loops read.
int64_t sharedBytes(const ir::Loops& a, const ir::Loops& b);

/// Which of the loops of one graph have to run before others.
DependenceGraph dependencesOf(const std::vector<LoopNest>& all);

/// Error: Unsupported, for reductions that make no nest (reductionNestOf).
LoopNest analyze(ir::Loops loops, const ir::Target& target);
std::vector<LoopNest> analyze(std::vector<ir::Loops> all, const ir::Target& target);
/// The facts about all loops of a graph, which no step changes any more.
LoopNests analyzeJointly(std::vector<LoopNest> all, const ir::Target& target);

}  // namespace lowering
