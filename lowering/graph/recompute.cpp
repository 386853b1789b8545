#include "lowering/graph/recompute.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/error.h"
#include "lowering/analysis/elementwise.h"
#include "lowering/graph/renumber.h"
#include "lowering/partition/data_flow.h"
#include "lowering/partition/region_graph.h"
#include "lowering/tensor/lowering.h"

namespace lowering {
namespace {

/// The most calls that are made again for a value.
constexpr size_t mostCalls = 12;
/// Bytes below which a value costs nothing.
constexpr int64_t smallBytes = 4096;

class Recomputation {
 public:
  Recomputation(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated)
      : graph_(graph), isGenerated_(isGenerated), flow_(graph), uses_(graph.values.size()) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if (flow_[static_cast<int>(i)].isView) continue;
      noteUses(graph.nodes[i]);
      if (graph.nodes[i].scope.phase == ir::Phase::Optimizer) continue;
      for (const int value : graph.nodes[i].writes) changed_.insert(flow_.memoryOf(value));
    }
    for (const int output : graph.outputs) keep(output);
  }

  ir::Graph operator()() {
    // What is kept for the backward pass in any case, before anything is chosen.
    for (size_t value = 0; value < graph_.values.size(); ++value) {
      const Use& use = uses_[value];
      if (use.isReadBackward() && (use.isReadByCall || !maker(static_cast<int>(value)))) keep(static_cast<int>(value));
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      for (const int value : graph_.nodes[i].outputs)
        if (uses_[static_cast<size_t>(value)].isReadBackward() && !isKept(value)) choose(value);
    return rewritten();
  }

 private:
  /// Who reads a value.
  struct Use {
    bool isReadByKernel = false;  ///< by a generated call of the backward pass
    bool isReadByCall = false;    ///< by another one of it
    bool isStored = false;        ///< in the forward pass already, for such a call
    bool isReadBackward() const { return isReadByKernel || isReadByCall; }
  };

  const ir::GraphValue& valueOf(int value) const { return graph_.values[static_cast<size_t>(value)]; }
  static bool isBackward(const ir::Node& node) { return node.scope.phase == ir::Phase::Backward; }
  int64_t bytesOf(int value) const {
    const ir::TensorType& type = valueOf(value).type;
    return type.numel() * static_cast<int64_t>(ir::sizeOf(type.dtype));
  }

  /// A value is known by what covers its memory, whatever views show of it.
  void noteUses(const ir::Node& node) {
    const bool isCall = !isGenerated_(node);
    for (const int value : valuesOf(node)) {
      Use& use = uses_[static_cast<size_t>(value)];
      if (isBackward(node)) {
        (isCall ? use.isReadByCall : use.isReadByKernel) = true;
      } else {
        use.isStored = use.isStored || isCall;
      }
    }
  }
  void keep(int value) { kept_.insert(flow_.memoryOf(value)); }
  bool isKept(int value) const { return kept_.contains(flow_.memoryOf(value)); }

  /// The call of the forward pass that makes a value element by element; nothing where it is another one.
  std::optional<int> maker(int value) {
    const auto [known, isNew] = makers_.try_emplace(value);
    if (isNew) known->second = findMaker(value);
    return known->second;
  }
  std::optional<int> findMaker(int value) const {
    const int number = flow_.makerOf(value);
    if (number < 0 || valueOf(value).storage >= 0) return std::nullopt;
    const ir::Node& node = graph_.nodes[static_cast<size_t>(number)];
    const std::vector<int> reads = valuesOf(node);
    const bool isSame = std::none_of(reads.begin(), reads.end(), [&](int one) { return changed_.contains(flow_.memoryOf(one)); });
    if (node.scope.phase != ir::Phase::Forward || node.outputs.size() != 1 || !isSame || !isGenerated_(node)) return std::nullopt;
    try {
      const std::vector<ir::Loops> loops = lower(regionOf(graph_, flow_, {number}).graph);
      if (loops.size() != 1 || !flattened(loops.front(), 1)) return std::nullopt;
    } catch (const ir::Error& error) {
      if (error.kind() != ir::ErrorKind::Unsupported) throw;
      return std::nullopt;
    }
    return number;
  }

  /// Bytes that are written for a value to be there in the backward pass, and read by a kernel that would not read it else.
  int64_t costOf(int value) {
    if (bytesOf(value) <= smallBytes) return 0;
    const Use& use = uses_[static_cast<size_t>(value)];
    const bool isThere = isKept(value) || use.isStored || !maker(value), isRead = isKept(value) && use.isReadByKernel;
    return bytesOf(value) * (static_cast<int>(!isThere) + static_cast<int>(!isRead));
  }
  int64_t costOf(const std::set<int>& values) {
    int64_t cost = 0;
    for (const int value : values) cost += costOf(value);
    return cost;
  }

  /// Goes back from a value call by call, and takes the place where least has to be kept.
  void choose(int value) {
    std::set<int> edge{value}, best = edge, calls, bestCalls;
    int64_t least = costOf(edge);
    while (least > 0 && calls.size() < mostCalls) {
      const auto last = std::find_if(edge.rbegin(), edge.rend(), [&](int one) { return costOf(one) > 0 && maker(one); });
      if (last == edge.rend()) break;
      const int number = *maker(*last);
      edge.erase(*last);
      calls.insert(number);
      for (const int read : valuesOf(graph_.nodes[static_cast<size_t>(number)])) edge.insert(read);
      const int64_t cost = costOf(edge);
      if (cost >= least) continue;
      least = cost;
      best = edge;
      bestCalls = calls;
    }
    again_.insert(bestCalls.begin(), bestCalls.end());
    for (const int one : best) keep(one);
    if (!bestCalls.empty()) replaced_.insert(value);
  }

  /// The graph with the chosen calls once more, each before the first call of the backward pass that needs it.
  ir::Graph rewritten() {
    ir::Graph result = graph_;
    result.nodes.clear();
    std::map<int, int> copies;  // of values, in the backward pass
    std::vector<int> places;
    for (const ir::Node& node : graph_.nodes) {
      ir::Node copy = node;
      if (isBackward(node)) replace(copy, result, copies);
      places.push_back(static_cast<int>(result.nodes.size()));
      result.nodes.push_back(std::move(copy));
    }
    renumberForward(result.nodes, places);
    return result;
  }
  void replace(ir::Node& node, ir::Graph& result, std::map<int, int>& copies) {
    for (ir::NamedArgument& argument : node.args) replace(argument.value, node.scope, result, copies);
  }
  void replace(ir::Argument& argument, const ir::Scope& scope, ir::Graph& result, std::map<int, int>& copies) {
    if (auto* value = std::get_if<ir::ValueRef>(&argument.data))
      if (replaced_.contains(value->index)) value->index = copyOf(value->index, scope, result, copies);
    if (auto* list = std::get_if<ir::List>(&argument.data))
      for (ir::Argument& item : list->items) replace(item, scope, result, copies);
  }
  /// A value that is computed again, with all calls that it takes.
  int copyOf(int value, const ir::Scope& scope, ir::Graph& result, std::map<int, int>& copies) {
    if (const auto known = copies.find(value); known != copies.end()) return known->second;
    const std::optional<int> number = isKept(value) ? std::nullopt : maker(value);
    if (!number || !again_.contains(*number)) return value;
    ir::Node again = graph_.nodes[static_cast<size_t>(*number)];
    again.scope = scope;
    again.scope.forward = -1;
    for (ir::NamedArgument& argument : again.args) {
      if (auto* read = std::get_if<ir::ValueRef>(&argument.value.data)) read->index = copyOf(read->index, scope, result, copies);
    }
    ir::GraphValue copy = valueOf(value);
    copy.name += "_again";
    const auto index = static_cast<int>(result.values.size());
    result.values.push_back(std::move(copy));
    again.outputs = {index};
    result.nodes.push_back(std::move(again));
    copies[value] = index;
    return index;
  }

  const ir::Graph& graph_;
  const std::function<bool(const ir::Node&)>& isGenerated_;
  const DataFlow flow_;
  std::vector<Use> uses_;                     ///< by value
  std::set<int> changed_;                     ///< memories that are written before the optimizer's calls
  std::set<int> kept_;                        ///< memories that are there in the backward pass in any case
  std::map<int, std::optional<int>> makers_;  ///< by value
  std::set<int> again_;                       ///< calls that are made again
  std::set<int> replaced_;                    ///< values that the backward pass reads, and no longer of the forward pass
};

}  // namespace

ir::Graph withRecomputation(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated) {
  return Recomputation(graph, isGenerated)();
}

}  // namespace lowering
