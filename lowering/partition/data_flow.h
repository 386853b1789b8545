#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"

namespace lowering {

/// A call that has to come before another one.
struct Dependence {
  int node = 0;
  bool isRead = false;  ///< whether the other one reads what it wrote
};

/// What a node does to the memory that its values lie in.
struct Flow {
  bool isView = false;  ///< all that it gives lies in memory of its arguments, and it writes none of it
  bool mayBeMoved =
      true;  ///< whether all that it does shows in its values: it writes no memory that has other names which are read later
  std::vector<int> reads;   ///< memories of its arguments, each once
  std::vector<int> writes;  ///< the ones among these that it writes
  std::vector<int> makes;   ///< memories that its outputs are the first to lie in
  std::vector<Dependence> after;
};

/// The data flow of a graph, memory by memory: what is written through one value is read through another. Views move no data, so
/// that nothing depends on them.
class DataFlow {
 public:
  /// Calls for which `keepsOrder` is true stay in their order, as calls that draw random numbers have to.
  explicit DataFlow(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& keepsOrder = {});

  const Flow& operator[](int node) const { return flows_[static_cast<size_t>(node)]; }
  /// A number for the memory that a value lies in.
  int memoryOf(int value) const;
  /// The node that makes a value; -1 for inputs.
  int makerOf(int value) const { return makers_[static_cast<size_t>(value)]; }
  /// The nodes, views apart, that read or write a memory, ascending.
  const std::vector<int>& usersOf(int memory) const { return users_[static_cast<size_t>(memory)]; }
  /// Whether a memory outlives the graph: an input or an output of it lies there.
  bool outlives(int memory) const { return outlives_[static_cast<size_t>(memory)]; }

 private:
  void noteUses();
  Flow flowOf(int number) const;
  void addMaker(const ir::Node& node, int number, Flow& flow);
  void order();
  void keepOrder(const std::function<bool(const ir::Node&)>& keepsOrder);

  const ir::Graph& graph_;
  std::vector<Flow> flows_;               ///< by node
  std::vector<int> makers_;               ///< by value
  std::vector<std::vector<int>> values_;  ///< by memory: those made so far
  std::vector<int> lastUse_;              ///< by value: the last node that names it; beyond all nodes what the graph hands back
  std::vector<std::vector<int>> users_;   ///< by memory
  std::vector<bool> outlives_;            ///< by memory
};

/// The values that a call's arguments name.
std::vector<int> valuesOf(const ir::Node& node);

}  // namespace lowering
