#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "codegen/plan.h"

namespace tests {

/// A plan of a random graph: calls and launches of no code, in an order in which they may come, which read and write parts of
/// memory that earlier ones made. Elements are of four bytes. The plan has no memory planned.
codegen::Plan randomPlan(uint64_t seed);

/// Bits that stand for all that was read, and differ where anything else was read: for each node of a graph, and for its outputs.
struct Readings {
  std::map<int, uint64_t> ofNodes;
  std::vector<uint64_t> ofOutputs;
  bool operator==(const Readings&) const = default;
};
/// By the graph's nodes in their order, each memory apart.
Readings readingsOfGraph(const codegen::Plan& plan);
/// By the plan's steps, in the memory that is planned. A step may write before it reads, unless it reads what it writes.
Readings readingsOfPlan(const codegen::Plan& plan);

}  // namespace tests
