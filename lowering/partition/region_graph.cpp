#include "lowering/partition/region_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ir/error.h"
#include "ir/memories.h"
#include "ir/verify/verify.h"

namespace lowering {
namespace {

class RegionBuilder {
 public:
  RegionBuilder(const ir::Graph& graph, const DataFlow& flow, const std::vector<int>& calls)
      : graph_(graph), flow_(flow), calls_(calls) {}

  Region build() {
    for (const int call : calls_) {
      add(call);
      inside_.insert(flow_[call].makes.begin(), flow_[call].makes.end());
      inside_.insert(flow_[call].writes.begin(), flow_[call].writes.end());
    }
    shareMemory();
    setOutputs();
    name();
    ir::verify(region_);
    return {std::move(region_), std::move(originals_)};
  }

 private:
  ir::GraphValue& valueOf(int index) { return region_.values[static_cast<size_t>(index)]; }

  void add(int number) {
    const ir::Node& node = graph_.nodes[static_cast<size_t>(number)];
    ir::Node copy{node.op, {}, {}, {}, {}};
    for (const ir::NamedArgument& argument : node.args) copy.args.push_back({argument.name, inRegion(argument.value)});
    for (const int value : node.writes) copy.writes.push_back(known_.at(value));
    for (const int value : node.outputs) copy.outputs.push_back(known_.contains(value) ? known_.at(value) : addValue(value));
    region_.nodes.push_back(std::move(copy));
  }

  ir::Argument inRegion(const ir::Argument& argument) {
    if (const auto* value = argument.as<ir::ValueRef>()) return ir::ValueRef{read(value->index)};
    const auto* list = argument.as<ir::List>();
    if (list == nullptr) return argument;
    ir::List items;
    items.isTuple = list->isTuple;
    for (const ir::Argument& item : list->items) items.items.push_back(inRegion(item));
    return items;
  }

  int read(int value) {
    if (const auto found = known_.find(value); found != known_.end()) return found->second;
    if (inside_.contains(flow_.memoryOf(value))) {
      const int maker = flow_.makerOf(value);  // a view, as all else that lies in this memory is known
      ir::require(maker >= 0 && flow_[maker].isView, "{} is in a region's memory, and no view", graph_.values[value].name);
      add(maker);
      return known_.at(value);
    }
    const int index = addValue(value);
    region_.inputs.push_back(index);
    return index;
  }

  int addValue(int value) {
    const auto index = static_cast<int>(region_.values.size());
    region_.values.push_back({"", graph_.values[static_cast<size_t>(value)].type});
    known_.emplace(value, index);
    originals_.push_back(value);
    return index;
  }

  /// Values that share what the region makes or writes share it here; their first one covers it.
  void shareMemory() {
    std::map<int, std::vector<int>> byMemory;
    for (size_t i = 0; i < originals_.size(); ++i) byMemory[flow_.memoryOf(originals_[i])].push_back(static_cast<int>(i));
    for (const auto& [memory, values] : byMemory) {
      if (values.size() < 2 || !inside_.contains(memory)) continue;
      const auto storage = static_cast<int>(region_.storages.size());
      region_.storages.push_back({"", bytesOf(values.front())});
      const int64_t start = startOf(values.front());
      for (const int value : values) {
        const int64_t offset = startOf(value) - start, size = ir::sizeOf(valueOf(value).type.dtype);
        if (offset < 0 || offset % size != 0 || offset + bytesOf(value) > bytesOf(values.front()))
          ir::fail(ir::ErrorKind::Unsupported, "a view goes beyond what it is a view of");
        valueOf(value).storage = storage;
        valueOf(value).offset = offset / size;
      }
    }
  }
  int64_t startOf(int value) const {
    return ir::startOf(graph_.values[static_cast<size_t>(originals_[static_cast<size_t>(value)])]);
  }
  int64_t bytesOf(int value) { return ir::bytesOf(valueOf(value)); }

  void setOutputs() {
    std::set<int> done;
    for (size_t i = 0; i < originals_.size(); ++i) {
      const int memory = flow_.memoryOf(originals_[i]);
      if (inside_.contains(memory) && done.insert(memory).second && isSeenOutside(memory))
        region_.outputs.push_back(static_cast<int>(i));
    }
  }
  /// Whether anything outside looks at a memory after the region's first call that makes or writes it.
  bool isSeenOutside(int memory) const {
    if (flow_.outlives(memory)) return true;
    const auto changes = [&](int call) {
      const auto has = [memory](const std::vector<int>& memories) {
        return std::find(memories.begin(), memories.end(), memory) != memories.end();
      };
      return has(flow_[call].makes) || has(flow_[call].writes);
    };
    const int first = *std::find_if(calls_.begin(), calls_.end(), changes);
    const std::vector<int>& users = flow_.usersOf(memory);
    return std::any_of(users.begin(), users.end(),
                       [&](int user) { return user > first && !std::binary_search(calls_.begin(), calls_.end(), user); });
  }

  void name() {
    const std::set<int> inputs(region_.inputs.begin(), region_.inputs.end());
    int read = 0, made = 0;
    for (size_t i = 0; i < region_.values.size(); ++i) {
      ir::GraphValue& value = region_.values[i];
      value.name = inputs.contains(static_cast<int>(i)) ? fmt::format("x{}", read++) : fmt::format("y{}", made++);
      if (value.storage >= 0 && region_.storages[static_cast<size_t>(value.storage)].name.empty())
        region_.storages[static_cast<size_t>(value.storage)].name = value.name;
    }
    // Storages are in the order of their values, whatever numbers the memories had.
    std::vector<int> place(region_.storages.size(), -1);
    std::vector<ir::Storage> storages;
    for (ir::GraphValue& value : region_.values) {
      if (value.storage < 0) continue;
      int& at = place[static_cast<size_t>(value.storage)];
      if (at < 0) {
        at = static_cast<int>(storages.size());
        storages.push_back(region_.storages[static_cast<size_t>(value.storage)]);
      }
      value.storage = at;
    }
    region_.storages = std::move(storages);
  }

  const ir::Graph& graph_;
  const DataFlow& flow_;
  const std::vector<int>& calls_;
  ir::Graph region_;
  std::map<int, int> known_;    ///< the region's value by the graph's
  std::vector<int> originals_;  ///< by value of the region
  std::set<int> inside_;        ///< memories that calls so far have made or written
};

}  // namespace

Region regionOf(const ir::Graph& graph, const DataFlow& flow, const std::vector<int>& calls) {
  return RegionBuilder(graph, flow, calls).build();
}

}  // namespace lowering
