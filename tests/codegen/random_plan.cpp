#include "tests/codegen/random_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "codegen/accesses.h"
#include "ir/memories.h"
#include "lowering/partition/data_flow.h"
#include "tests/random/dice.h"

namespace tests {
namespace {

using codegen::Plan;

constexpr int64_t elementBytes = 4;

/// Random calls on few tensors of few elements.
class RandomGraph {
 public:
  explicit RandomGraph(Dice& dice) : dice_(dice) {}

  ir::Graph make() {
    for (int64_t i = dice_.between(1, 3); i > 0; --i) graph_.inputs.push_back(addValue(-1, dice_.between(1, 100), 0));
    for (int64_t i = dice_.between(4, 16); i > 0; --i) addNode();
    std::set<int> outputs;
    for (int64_t i = dice_.between(1, 3); i > 0; --i) outputs.insert(anyValue());
    outputs.insert(graph_.nodes.back().outputs.back());
    for (const ir::Node& node : graph_.nodes)
      for (const int value : node.writes)
        for (const int input : graph_.inputs)
          if (ir::memoryOf(graph_, value) == ir::memoryOf(graph_, input)) outputs.insert(input);
    graph_.outputs.assign(outputs.begin(), outputs.end());
    return graph_;
  }

 private:
  int anyValue() { return static_cast<int>(dice_.below(std::ssize(graph_.values))); }
  int addValue(int storage, int64_t elements, int64_t offset) {
    if (storage < 0) {
      storage = static_cast<int>(graph_.storages.size());
      graph_.storages.push_back({"", elements * elementBytes});
    }
    const auto number = static_cast<int>(graph_.values.size());
    graph_.values.push_back({fmt::format("v{}", number), {ir::DType::F32, {elements}, {1}}, storage, offset});
    return number;
  }
  void addNode() {
    ir::Node node{fmt::format("aten.f{}.default", graph_.nodes.size()), {}, {}, {}, {}};
    const int64_t kind = dice_.below(6);
    std::vector<int> reads;
    for (int64_t i = dice_.between(1, 3); i > 0; --i) reads.push_back(anyValue());
    if (kind == 0) {  // a view
      const ir::GraphValue base = graph_.values[static_cast<size_t>(reads.front())];
      const int64_t length = base.type.sizes[0], first = dice_.below(length);
      reads.resize(1);
      node.outputs = {addValue(base.storage, dice_.between(1, length - first), base.offset + first)};
    } else if (kind == 1) {  // in place
      node.writes = node.outputs = {reads.front()};
    } else {
      for (int64_t i = kind == 2 ? 2 : 1; i > 0; --i) node.outputs.push_back(addValue(-1, dice_.between(1, 150), 0));
    }
    for (const int value : reads) node.args.push_back({fmt::format("a{}", node.args.size()), ir::ValueRef{value}});
    graph_.nodes.push_back(std::move(node));
  }

  Dice& dice_;
  ir::Graph graph_;
};

ir::Param paramOf(const ir::Graph& graph, int value, bool isRead, bool isWritten) {
  ir::Param param;
  param.buffer.type = graph.values[static_cast<size_t>(value)].type;
  param.buffer.isRead = isRead;
  param.buffer.isWritten = isWritten;
  return param;
}

/// Adds a launch that reads and writes values.
void addLaunch(Plan& plan, const ir::Graph& graph, const std::vector<int>& reads, const std::vector<int>& writes, int instance) {
  codegen::LaunchStep launch{static_cast<int>(plan.programs.size()), {}, instance};
  ir::KernelSource program;
  std::set<int> values(reads.begin(), reads.end());
  values.insert(writes.begin(), writes.end());
  for (const int value : values) {
    const auto has = [&](const std::vector<int>& list) { return std::find(list.begin(), list.end(), value) != list.end(); };
    launch.values.push_back(value);
    program.params.push_back(paramOf(graph, value, has(reads), has(writes)));
  }
  plan.programs.push_back(std::move(program));
  plan.steps.emplace_back(std::move(launch));
}

uint64_t mixed(uint64_t a, uint64_t b) { return inputs::randomBits(a, b); }

/// Memory that holds bits by element.
class Machine {
 public:
  explicit Machine(const Plan& plan, bool isPlanned)
      : plan_(plan), graph_(codegen::withIntermediates(plan)), isPlanned_(isPlanned), bits_(ir::memoriesOf(graph_)) {
    for (size_t i = 0; i < graph_.inputs.size(); ++i) write(graph_.inputs[i], mixed(1, i));
  }

  uint64_t read(int value) {
    uint64_t bits = 0;
    for (int64_t i = 0; i < elements(value); ++i) bits = mixed(bits, at(value, i));
    return bits;
  }
  uint64_t read(const std::vector<int>& values, uint64_t bits) {
    for (const int value : values) bits = mixed(bits, read(value));
    return bits;
  }
  void write(int value, uint64_t bits) {
    for (int64_t i = 0; i < elements(value); ++i) at(value, i) = mixed(bits, static_cast<uint64_t>(i));
  }
  const ir::Graph& graph() const { return graph_; }
  /// What comes of writing before all has been read.
  void spoil(const std::vector<int>& writes, const std::vector<int>& reads) {
    for (const int value : writes)
      if (std::none_of(reads.begin(), reads.end(), [&](int read) { return memoryOf(read) == memoryOf(value); }))
        write(value, mixed(2, static_cast<uint64_t>(value)));
  }
  Readings finish(std::map<int, uint64_t> ofNodes) {
    Readings readings{std::move(ofNodes), {}};
    for (const int output : graph_.outputs) readings.ofOutputs.push_back(read(output));
    return readings;
  }

 private:
  int memoryOf(int value) const { return ir::memoryOf(graph_, value); }
  int64_t elements(int value) const { return graph_.values[static_cast<size_t>(value)].type.sizes[0]; }
  uint64_t& at(int value, int64_t element) {
    const int memory = memoryOf(value);
    const bool isInArena = isPlanned_ && plan_.memory.has(memory);
    const int64_t place = isInArena ? plan_.memory.offsets[static_cast<size_t>(memory)] / elementBytes : 0;
    std::vector<uint64_t>& bits = isInArena ? arena_ : bits_[static_cast<size_t>(memory)];
    const auto at = static_cast<size_t>(place + graph_.values[static_cast<size_t>(value)].offset + element);
    if (at >= bits.size()) bits.resize(at + 1);
    return bits[at];
  }

  const Plan& plan_;
  const ir::Graph graph_;
  const bool isPlanned_;
  std::vector<uint64_t> arena_;              ///< by element
  std::vector<std::vector<uint64_t>> bits_;  ///< by memory and element
};

}  // namespace

Plan randomPlan(uint64_t seed) {
  Dice dice(seed);
  Plan plan;
  plan.graph = RandomGraph(dice).make();
  const lowering::DataFlow flow(plan.graph);
  std::vector<int> left;
  for (int node = 0; node < static_cast<int>(plan.graph.nodes.size()); ++node)
    if (!flow[node].isView) left.push_back(node);
  int previous = -1;  // a node that the instance at hand may take more of
  while (!left.empty()) {
    std::vector<int> ready;
    for (const int node : left)
      if (std::none_of(flow[node].after.begin(), flow[node].after.end(), [&](const lowering::Dependence& other) {
            return std::find(left.begin(), left.end(), other.node) != left.end();
          }))
        ready.push_back(node);
    const int number = dice.pick(ready);
    std::erase(left, number);
    if (dice.oneIn(3)) {
      plan.steps.emplace_back(codegen::CallStep{number});
      previous = -1;
      continue;
    }
    const ir::Node& node = plan.graph.nodes[static_cast<size_t>(number)];
    if (previous < 0 || !dice.oneIn(4)) plan.instances.emplace_back();
    plan.instances.back().nodes.push_back(number);
    previous = number;
    const auto instance = static_cast<int>(plan.instances.size()) - 1;
    std::vector<int> reads = lowering::valuesOf(node);
    if (dice.oneIn(4)) {
      const auto between = static_cast<int>(plan.graph.values.size() + plan.intermediates.size());
      plan.intermediates.push_back({fmt::format("t{}", between), {ir::DType::F32, {dice.between(1, 150)}, {1}}});
      addLaunch(plan, codegen::withIntermediates(plan), reads, {between}, instance);
      reads = node.writes;
      reads.push_back(between);
    }
    addLaunch(plan, codegen::withIntermediates(plan), reads, node.outputs, instance);
  }
  return plan;
}

Readings readingsOfGraph(const Plan& plan) {
  const lowering::DataFlow flow(plan.graph);
  Machine machine(plan, false);
  std::map<int, uint64_t> found;
  for (int number = 0; number < static_cast<int>(plan.graph.nodes.size()); ++number) {
    if (flow[number].isView) continue;
    const ir::Node& node = plan.graph.nodes[static_cast<size_t>(number)];
    found[number] = machine.read(lowering::valuesOf(node), static_cast<uint64_t>(number));
    for (const int value : node.outputs) machine.write(value, mixed(found[number], static_cast<uint64_t>(value)));
  }
  return machine.finish(std::move(found));
}

Readings readingsOfPlan(const Plan& plan) {
  Machine machine(plan, true);
  std::map<int, uint64_t> found, between;              // by node; by intermediate: its bits as they were written
  std::vector<size_t> done(plan.instances.size(), 0);  // nodes, by instance
  for (const codegen::Step& step : plan.steps) {
    const auto* launch = std::get_if<codegen::LaunchStep>(&step);
    const int number =
        launch == nullptr
            ? std::get<codegen::CallStep>(step).node
            : plan.instances[static_cast<size_t>(launch->instance)].nodes[done[static_cast<size_t>(launch->instance)]];
    const ir::Node& node = plan.graph.nodes[static_cast<size_t>(number)];
    const codegen::Access access = codegen::accessOf(step, plan, machine.graph());
    machine.spoil(access.writes, access.reads);
    const auto isIntermediate = [&](int value) { return value >= static_cast<int>(plan.graph.values.size()); };
    const auto read = std::find_if(access.reads.begin(), access.reads.end(), isIntermediate);
    if (read == access.reads.end())
      found[number] = machine.read(lowering::valuesOf(node), static_cast<uint64_t>(number));
    else if (machine.read(*read) != between[*read])
      found[number] = mixed(found[number], 3);
    const auto made = std::find_if(access.writes.begin(), access.writes.end(), isIntermediate);
    if (made != access.writes.end()) {
      machine.write(*made, found[number]);
      between[*made] = machine.read(*made);
      continue;
    }
    for (const int value : node.outputs) machine.write(value, mixed(found[number], static_cast<uint64_t>(value)));
    if (launch != nullptr) ++done[static_cast<size_t>(launch->instance)];
  }
  return machine.finish(std::move(found));
}

}  // namespace tests
