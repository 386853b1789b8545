#include "lowering/graph/equal_calls.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ir/verify/verify.h"
#include "lowering/graph/relayout.h"
#include "lowering/graph/renumber.h"

namespace lowering {
namespace {

class EqualCalls {
 public:
  EqualCalls(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated)
      : graph_(graph), isGenerated_(isGenerated), relayout_(graph), result_(graph) {
    for (size_t value = 0; value < graph.values.size(); ++value) now_.push_back(static_cast<int>(value));
    for (const int input : graph.inputs) notePlace(input);
    result_.nodes.clear();
  }

  ir::Graph run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      ir::Node node = graph_.nodes[i];
      for (ir::NamedArgument& argument : node.args) replaceValues(argument.value);
      for (int& value : node.writes) value = nowOf(value);
      const int number = static_cast<int>(i);
      places_.push_back(relayout_.flow()[number].isView ? placeOfView(node) : placeOfCall(node, number));
      if (places_.back() >= 0) continue;
      for (int& value : node.outputs) value = nowOf(value);
      for (const int value : node.outputs) notePlace(value);
      places_.back() = static_cast<int>(result_.nodes.size());
      result_.nodes.push_back(std::move(node));
    }
    if (isMixed_ || result_.nodes.size() == graph_.nodes.size()) return graph_;
    renumberForward(result_.nodes, places_);
    ir::Graph graph = ir::numbered(std::move(result_));
    ir::verify(graph);
    return graph;
  }

 private:
  using Place = std::tuple<int, int64_t, ir::DType, std::vector<int64_t>, std::vector<int64_t>>;

  int nowOf(int value) const { return now_[static_cast<size_t>(value)]; }
  ir::GraphValue& valueOf(int value) { return result_.values[static_cast<size_t>(value)]; }

  void replaceValues(ir::Argument& argument) const {
    if (auto* value = std::get_if<ir::ValueRef>(&argument.data)) value->index = nowOf(value->index);
    if (auto* list = std::get_if<ir::List>(&argument.data))
      for (ir::Argument& item : list->items) replaceValues(item);
  }

  Place placeOf(int value) {
    const ir::GraphValue& one = valueOf(value);
    const auto storage = storages_.find(one.storage);
    return {storage == storages_.end() ? one.storage : storage->second, one.offset, one.type.dtype, one.type.sizes,
            one.type.strides};
  }
  void notePlace(int value) {
    if (valueOf(value).storage < 0) return;
    Place place = placeOf(value);
    valueOf(value).storage = std::get<0>(place);
    atPlace_.emplace(std::move(place), value);
  }

  /// The place among the result's calls of one that shows the same; -1 where there is none.
  int placeOfView(const ir::Node& node) {
    std::vector<int> same;
    for (const int value : node.outputs)
      if (const auto found = atPlace_.find(placeOf(value)); found != atPlace_.end() && found->second != value)
        same.push_back(found->second);
    if (same.empty()) return -1;
    isMixed_ = isMixed_ || same.size() != node.outputs.size();
    for (size_t i = 0; i < same.size(); ++i) now_[static_cast<size_t>(node.outputs[i])] = same[i];
    return std::max(0, static_cast<int>(result_.nodes.size()) - 1);  // no call is the gradient of a view
  }

  /// The place among the result's calls of one that computes the same; -1 where there is none.
  int placeOfCall(const ir::Node& node, int number) {
    if (!mayGo(node, number)) return -1;
    std::vector<int>& known = known_[{node.scope.phase, node.op}];
    for (const int place : known) {
      const ir::Node& other = result_.nodes[static_cast<size_t>(place)];
      if (!(other.args == node.args)) continue;
      for (size_t i = 0; i < node.outputs.size(); ++i) replace(node.outputs[i], other.outputs[i]);
      return place;
    }
    known.push_back(static_cast<int>(result_.nodes.size()));
    return -1;
  }

  /// Whether a call computes the same whenever it is made, and nobody changes or hands on what it makes.
  bool mayGo(const ir::Node& node, int number) const {
    const DataFlow& flow = relayout_.flow();
    if (!node.writes.empty() || node.outputs.empty() || !flow[number].mayBeMoved || !isGenerated_(node)) return false;
    const auto isSame = [&](int memory) { return relayout_.isWrittenOnce(memory); };
    return std::all_of(flow[number].reads.begin(), flow[number].reads.end(), isSame) &&
           std::all_of(node.outputs.begin(), node.outputs.end(), [&](int value) {
             const int memory = flow.memoryOf(value);
             return isSame(memory) && !flow.outlives(memory) && graph_.values[static_cast<size_t>(value)].offset == 0;
           });
  }

  /// The place of a value is taken by an equal one, and its memory by that one's.
  void replace(int value, int equal) {
    now_[static_cast<size_t>(value)] = equal;
    const int storage = valueOf(value).storage;
    if (storage < 0) return;
    if (valueOf(equal).storage < 0) {
      valueOf(equal).storage = storage;
      notePlace(equal);
    } else {
      storages_[storage] = valueOf(equal).storage;
    }
  }

  const ir::Graph& graph_;
  const std::function<bool(const ir::Node&)>& isGenerated_;
  const Relayout relayout_;
  ir::Graph result_;
  std::vector<int> now_;         ///< the value that a value of the graph is now
  std::map<int, int> storages_;  ///< that took the place of others
  std::map<Place, int> atPlace_;
  std::map<std::pair<ir::Phase, std::string>, std::vector<int>> known_;  ///< places of calls that others may equal
  std::vector<int> places_;                                              ///< of the graph's calls among the result's
  bool isMixed_ = false;  ///< whether a view with several results shows something old and something new
};

}  // namespace

ir::Graph withoutEqualCalls(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated) {
  return EqualCalls(graph, isGenerated).run();
}

}  // namespace lowering
