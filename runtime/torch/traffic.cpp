#include "runtime/torch/traffic.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "inputs/operators/facts.h"
#include "ir/text/text.h"

namespace runtime {
namespace {

using inputs::Reads;

void collect(const ir::Argument& argument, std::vector<int>& values) {
  if (const auto* ref = argument.as<ir::ValueRef>()) values.push_back(ref->index);
  if (const auto* list = argument.as<ir::List>()) {
    for (const ir::Argument& item : list->items) collect(item, values);
  }
}

/// The distinct values that a node writes: its outputs and what it changes in place.
std::set<int> writtenValues(const ir::Node& node) {
  std::set<int> values(node.outputs.begin(), node.outputs.end());
  values.insert(node.writes.begin(), node.writes.end());
  return values;
}

/// What one node reads and writes.
class NodeTraffic {
 public:
  NodeTraffic(const ir::Graph& graph, const ir::Node& node) : graph_(graph), node_(node) {}

  Traffic traffic() const {
    Traffic sum{0, written()};
    if (!node_.outputs.empty() && sum.written == 0) return sum;  // a product of no rows takes no look at its columns
    for (const ir::NamedArgument& arg : node_.args) sum.read += read(arg);
    return sum;
  }

  /// What is read of one value.
  int64_t readOf(int value) const {
    int64_t most = 0;
    for (const ir::NamedArgument& arg : node_.args) {
      std::vector<int> values;
      collect(arg.value, values);
      if (std::find(values.begin(), values.end(), value) != values.end())
        most = std::max(most, std::min(bytes(value), read(arg)));
    }
    return most;
  }

  /// The elements of the largest floating tensor, as far as it is read or written.
  double mostElements() const {
    int64_t most = 0;
    const auto see = [&](int value, int64_t moved) {
      const ir::DType dtype = type(value).dtype;
      if (ir::isFloating(dtype) || ir::isComplex(dtype)) most = std::max(most, moved / ir::sizeOf(dtype));
    };
    for (const int value : writtenValues(node_)) see(value, std::min(bytes(value), writeLimit(value)));
    for (const ir::NamedArgument& arg : node_.args) {
      std::vector<int> values;
      collect(arg.value, values);
      for (const int value : values) see(value, std::min(bytes(value), read(arg)));
    }
    return static_cast<double>(most);
  }

  /// Whether all that it gives lies in the memory of its arguments, and it writes none of it.
  bool isView() const {
    std::vector<int> arguments;
    for (const ir::NamedArgument& arg : node_.args) collect(arg.value, arguments);
    const auto sharesMemory = [&](int output) {
      const int storage = graph_.values[static_cast<size_t>(output)].storage;
      return storage >= 0 && std::any_of(arguments.begin(), arguments.end(), [&](int argument) {
               return graph_.values[static_cast<size_t>(argument)].storage == storage;
             });
    };
    return node_.writes.empty() && std::all_of(node_.outputs.begin(), node_.outputs.end(), sharesMemory);
  }

  /// What is changed of a value that is partly changed in place.
  int64_t writeLimit(int value) const {
    for (const ir::NamedArgument& arg : node_.args) {
      if (inputs::partialReadOf(node_.op, arg.name) != Reads::NoMoreThanOthers) continue;
      std::vector<int> values;
      collect(arg.value, values);
      if (std::find(values.begin(), values.end(), value) != values.end()) return bytesOfOthers(arg.name);
    }
    return bytes(value);
  }

 private:
  const ir::Graph& graph_;
  const ir::Node& node_;

  const ir::TensorType& type(int value) const { return graph_.values[value].type; }
  int64_t bytes(int value) const { return type(value).bytesTouched(); }

  /// All tensor arguments but the ones of this name.
  std::vector<int> others(std::string_view argument) const {
    std::vector<int> values;
    for (const ir::NamedArgument& arg : node_.args) {
      if (arg.name != argument) collect(arg.value, values);
    }
    return values;
  }

  int64_t bytesOfOthers(std::string_view argument) const {
    int64_t sum = 0;
    for (int value : others(argument)) sum += bytes(value);
    return sum;
  }

  int64_t integersOfOthers(std::string_view argument) const {
    int64_t count = 0;
    for (int value : others(argument))
      if (ir::isIntegral(type(value).dtype)) count += type(value).numel();
    return count;
  }

  int64_t written() const {
    int64_t sum = 0;
    for (int value : writtenValues(node_)) sum += std::min(bytes(value), writeLimit(value));
    return sum;
  }

  int64_t read(const ir::NamedArgument& arg) const {
    std::vector<int> values;
    collect(arg.value, values);
    int64_t sum = 0;
    for (int value : std::set<int>(values.begin(), values.end())) sum += bytes(value);
    const auto partial = inputs::partialReadOf(node_.op, arg.name);
    if (!partial) return sum;
    switch (*partial) {
      case Reads::Nothing: return 0;
      case Reads::NoMoreThanOutputs: return std::min(sum, written());
      case Reads::Half: return sum / 2;
      case Reads::NoMoreThanOthers: return std::min(sum, bytesOfOthers(arg.name));
      case Reads::OneEach: return std::min(sum, integersOfOthers(arg.name) * ir::sizeOf(type(values.at(0)).dtype));
    }
    return sum;
  }
};

/// The shares of a graph's values that its results are made of: where a view of a part alone is read, the part's share. A call of
/// whose results a share is needed needs no more than that share of its arguments.
class Needs {
 public:
  explicit Needs(const ir::Graph& graph) : graph_(graph), shares_(graph.values.size(), 0.0) {
    for (const int output : graph.outputs) shares_[static_cast<size_t>(output)] = 1;
    for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node)
      NodeTraffic(graph, *node).isView() ? needSource(*node) : needArguments(*node);
  }

  double shareOf(int value) const { return shares_[static_cast<size_t>(value)]; }
  /// The share that is needed of a call's reads and operations.
  double shareOf(const ir::Node& node) const {
    if (!node.writes.empty() || node.outputs.empty()) return 1;
    double most = 0;
    for (const int output : node.outputs) most = std::max(most, shareOf(output));
    return most;
  }
  /// What all calls read of an input.
  double bytesReadOf(int input) const {
    double most = 0;
    for (const ir::Node& node : graph_.nodes) {
      const NodeTraffic traffic(graph_, node);
      const auto read = static_cast<double>(traffic.readOf(input));
      most = std::max(most, traffic.isView() ? read : read * shareOf(node));
    }
    return std::min(most, bytes(input) * shareOf(input));
  }

 private:
  /// Views of other parts add up; equal ones are one.
  void needSource(const ir::Node& node) {
    for (const int source : valuesOf(node)) {
      for (const int view : node.outputs) {
        const ir::GraphValue& part = graph_.values[static_cast<size_t>(view)];
        double& known = views_[{source, part.offset, ir::toText(part.type)}];
        const double more = std::max(shareOf(view) - known, 0.0);
        known += more;
        need(source, shareOf(source) + more * bytes(view) / std::max(bytes(source), 1.0));
      }
    }
  }
  void needArguments(const ir::Node& node) {
    for (const int value : valuesOf(node)) {
      const auto read = static_cast<double>(NodeTraffic(graph_, node).readOf(value));
      need(value, std::max(shareOf(value), shareOf(node) * read / std::max(bytes(value), 1.0)));
    }
  }
  void need(int value, double share) { shares_[static_cast<size_t>(value)] = std::min(share, 1.0); }

  double bytes(int value) const { return static_cast<double>(graph_.values[static_cast<size_t>(value)].type.bytesTouched()); }
  static std::set<int> valuesOf(const ir::Node& node) {
    std::vector<int> values;
    for (const ir::NamedArgument& arg : node.args) collect(arg.value, values);
    return {values.begin(), values.end()};
  }

  const ir::Graph& graph_;
  std::vector<double> shares_;  ///< by value
  std::map<std::tuple<int, int64_t, std::string>, double> views_;
};

}  // namespace

Traffic trafficOf(const ir::Graph& graph) {
  if (graph.nodes.size() == 1) return NodeTraffic(graph, graph.nodes[0]).traffic();
  const Needs needs(graph);
  Traffic sum;
  for (const int input : graph.inputs) sum.read += static_cast<int64_t>(needs.bytesReadOf(input));
  for (const int output : graph.outputs) {
    int64_t least = graph.values[static_cast<size_t>(output)].type.bytesTouched();
    for (const ir::Node& node : graph.nodes) least = std::min(least, NodeTraffic(graph, node).writeLimit(output));
    sum.written += least;
  }
  return sum;
}

double operationsOf(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& onlyMoves) {
  const Needs needs(graph);
  double sum = 0;
  for (const ir::Node& node : graph.nodes) {
    const NodeTraffic traffic(graph, node);
    if (!traffic.isView() && !onlyMoves(node)) sum += needs.shareOf(node) * traffic.mostElements();
  }
  return sum;
}

}  // namespace runtime
