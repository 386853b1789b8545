#include "runtime/contenders/plan/lifetimes.h"

#include <algorithm>

#include "lowering/partition/data_flow.h"

namespace runtime {
namespace {

std::vector<int> valuesIn(const codegen::Step& step, const ir::Graph& graph) {
  std::vector<int> values;
  if (const auto* launch = std::get_if<codegen::LaunchStep>(&step)) {
    values = launch->values;
  } else {
    const ir::Node& node = graph.nodes.at(static_cast<size_t>(std::get<codegen::CallStep>(step).node));
    values = lowering::valuesOf(node);
    values.insert(values.end(), node.outputs.begin(), node.outputs.end());
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

ir::Graph withIntermediates(const codegen::Plan& plan) {
  ir::Graph graph = plan.graph;
  graph.values.insert(graph.values.end(), plan.intermediates.begin(), plan.intermediates.end());
  return graph;
}

Lifetimes::Lifetimes(const codegen::Plan& plan, const ir::Graph& graph) {
  const size_t storages = graph.storages.size();
  values_.resize(storages + graph.values.size());
  for (size_t value = 0; value < graph.values.size(); ++value) {
    const int storage = graph.values[value].storage;
    memories_.push_back(storage >= 0 ? storage : static_cast<int>(storages + value));
    values_[static_cast<size_t>(memories_.back())].push_back(static_cast<int>(value));
  }
  isGiven_.resize(values_.size(), false);
  for (const int input : graph.inputs) isGiven_[static_cast<size_t>(memoryOf(input))] = true;
  if (graph.generator) isGiven_[static_cast<size_t>(memoryOf(*graph.generator))] = true;
  first_.resize(values_.size(), -1);
  last_.resize(values_.size(), -1);
  for (const codegen::Step& step : plan.steps) {
    const auto number = static_cast<int>(ofSteps_.size());
    ofSteps_.push_back(runtime::valuesIn(step, graph));
    for (const int value : ofSteps_.back()) {
      int& first = first_[static_cast<size_t>(memoryOf(value))];
      if (first < 0) first = number;
      last_[static_cast<size_t>(memoryOf(value))] = number;
    }
  }
  for (const int output : graph.outputs) last_[static_cast<size_t>(memoryOf(output))] = static_cast<int>(plan.steps.size());
}

}  // namespace runtime
