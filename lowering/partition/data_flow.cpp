#include "lowering/partition/data_flow.h"

#include <algorithm>

#include "ir/argument_values.h"
#include "ir/memories.h"

namespace lowering {
namespace {

void addOnce(std::vector<int>& numbers, int number) {
  if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
}

bool contains(const std::vector<int>& numbers, int number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

}  // namespace

std::vector<int> valuesOf(const ir::Node& node) {
  std::vector<int> values;
  ir::forEachValue(node, [&](int value) { values.push_back(value); });
  return values;
}

DataFlow::DataFlow(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& keepsOrder)
    : graph_(graph),
      makers_(graph.values.size(), -1),
      values_(graph.storages.size() + graph.values.size()),
      lastUse_(graph.values.size(), -1),
      users_(values_.size()),
      outlives_(values_.size(), false) {
  noteUses();
  for (const int input : graph.inputs) values_[static_cast<size_t>(memoryOf(input))].push_back(input);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Flow flow = flowOf(static_cast<int>(i));
    addMaker(graph.nodes[i], static_cast<int>(i), flow);
    flows_.push_back(std::move(flow));
  }
  for (const int input : graph.inputs) outlives_[static_cast<size_t>(memoryOf(input))] = true;
  for (const int output : graph.outputs) outlives_[static_cast<size_t>(memoryOf(output))] = true;
  order();
  if (keepsOrder) keepOrder(keepsOrder);
}

int DataFlow::memoryOf(int value) const { return ir::memoryOf(graph_, value); }

void DataFlow::noteUses() {
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    for (const int value : valuesOf(graph_.nodes[i])) lastUse_[static_cast<size_t>(value)] = static_cast<int>(i);
  for (const int output : graph_.outputs) lastUse_[static_cast<size_t>(output)] = static_cast<int>(graph_.nodes.size());
}

Flow DataFlow::flowOf(int number) const {
  const ir::Node& node = graph_.nodes[static_cast<size_t>(number)];
  Flow flow;
  for (const int value : valuesOf(node)) addOnce(flow.reads, memoryOf(value));
  for (const int value : node.writes) {
    const int memory = memoryOf(value);
    addOnce(flow.writes, memory);
    const std::vector<int>& names = values_[static_cast<size_t>(memory)];
    const auto isReadLater = [&](int name) { return name != value && lastUse_[static_cast<size_t>(name)] >= number; };
    if (std::any_of(names.begin(), names.end(), isReadLater)) flow.mayBeMoved = false;
  }
  for (const int value : node.outputs)
    if (!contains(flow.reads, memoryOf(value))) addOnce(flow.makes, memoryOf(value));
  flow.isView = node.writes.empty() && flow.makes.empty() && !node.outputs.empty();
  const auto isOnHost = [&](int value) { return graph_.values[static_cast<size_t>(value)].onHost; };
  const std::vector<int> arguments = valuesOf(node);
  if (std::any_of(arguments.begin(), arguments.end(), isOnHost) ||
      std::any_of(node.outputs.begin(), node.outputs.end(), isOnHost))
    flow.mayBeMoved = false;
  const auto isAlias = [&](int value) { return contains(flow.reads, memoryOf(value)) && !contains(node.writes, value); };
  if (!flow.isView && std::any_of(node.outputs.begin(), node.outputs.end(), isAlias)) flow.mayBeMoved = false;
  return flow;
}

void DataFlow::addMaker(const ir::Node& node, int number, Flow& flow) {
  for (const int value : node.outputs) {
    std::vector<int>& known = values_[static_cast<size_t>(memoryOf(value))];
    if (contains(known, value)) continue;
    if (!flow.isView && !known.empty()) flow.mayBeMoved = false;
    known.push_back(value);
    makers_[static_cast<size_t>(value)] = number;
  }
}

void DataFlow::order() {
  struct Latest {
    int writer = -1;
    std::vector<int> readers;  ///< since it was written
  };
  std::vector<Latest> latest(values_.size());
  for (size_t i = 0; i < flows_.size(); ++i) {
    Flow& flow = flows_[i];
    if (flow.isView) continue;
    const int node = static_cast<int>(i);
    for (const int memory : flow.reads) {
      users_[static_cast<size_t>(memory)].push_back(node);
      const Latest& before = latest[static_cast<size_t>(memory)];
      if (before.writer >= 0) flow.after.push_back({before.writer, true});
      if (contains(flow.writes, memory))
        for (const int reader : before.readers) flow.after.push_back({reader, false});
    }
    for (const int memory : flow.reads) {
      Latest& now = latest[static_cast<size_t>(memory)];
      if (contains(flow.writes, memory))
        now = {node, {}};
      else
        now.readers.push_back(node);
    }
    for (const int memory : flow.makes) latest[static_cast<size_t>(memory)] = {node, {}};
  }
}

void DataFlow::keepOrder(const std::function<bool(const ir::Node&)>& keepsOrder) {
  int last = -1;
  for (size_t i = 0; i < flows_.size(); ++i) {
    if (flows_[i].isView || !keepsOrder(graph_.nodes[i])) continue;
    if (last >= 0) flows_[i].after.push_back({last, false});
    last = static_cast<int>(i);
  }
}

}  // namespace lowering
