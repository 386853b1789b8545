#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "ir/graph.h"
#include "lowering/partition/data_flow.h"

namespace lowering {

/// Where the elements of a memory are to lie, by where they lie now.
class MemoryLayout {
 public:
  virtual ~MemoryLayout() = default;
  /// The value with its new strides and its new place in the memory; nothing where sizes and strides cannot say that.
  virtual std::optional<ir::GraphValue> place(const ir::GraphValue& value) const = 0;
};
using MemoryLayoutPtr = std::shared_ptr<const MemoryLayout>;

/// A graph whose memories get other layouts: a memory itself, with all values that lie in it, or a copy that some of its users
/// have in its place. Nobody outside the graph sees another layout.
class Relayout {
 public:
  /// Whether calls may make or read values of any strides at no loss.
  using Takes = std::function<bool(const ir::Node&)>;

  explicit Relayout(const ir::Graph& graph);

  const DataFlow& flow() const { return flow_; }
  const ir::GraphValue& valueOf(int value) const { return graph_.values[static_cast<size_t>(value)]; }
  const ir::Node& nodeOf(int node) const { return graph_.nodes[static_cast<size_t>(node)]; }
  /// The memories, and the values that lie in each.
  const std::map<int, std::vector<int>>& memories() const { return values_; }
  /// The value that a memory is made or given as, where it is contiguous and all of the memory; nothing for memory of the host's.
  std::optional<int> baseOf(int memory) const;
  /// Calls that make, read or write a memory.
  std::set<int> usersOf(int memory) const;

  /// Whether all values of a memory can be said in a layout.
  bool fits(int memory, const MemoryLayout& layout) const;
  /// Whether a memory is made in the graph, ends in it, and all its users take any layout.
  bool isFree(int memory, const Takes& takes) const;
  /// Whether nothing is written there but by the call that makes it.
  bool isWrittenOnce(int memory) const;

  void change(int memory, const MemoryLayout& layout);
  /// Has some users of a memory read a copy, which is made before the first of them. A user that makes the memory makes the copy,
  /// from which the memory is copied.
  void copy(int memory, MemoryLayoutPtr layout, Takes users);

  /// The graph with all that was asked for.
  ir::Graph result();

 private:
  struct Copy {
    int memory = 0;
    int base = 0;
    MemoryLayoutPtr layout;
    Takes users;
    int storage = -1;
    std::map<int, int> values = {};  ///< the copy's, by the memory's
    bool isMade = false;             ///< whether a call has filled it
  };

  int addValue(int value, Copy& copy);
  void add(ir::Node node, int origin);
  void readCopy(ir::Node& node, Copy& copy);
  int viewOn(int value, Copy& copy, const ir::Scope& scope);

  const ir::Graph& graph_;
  const DataFlow flow_;
  ir::Graph result_;
  std::map<int, std::vector<int>> values_;  ///< by memory
  std::vector<Copy> copies_;
  std::vector<int> places_;  ///< of the graph's calls among the result's
  bool isChanged_ = false;
};

}  // namespace lowering
