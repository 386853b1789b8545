#include "codegen/lifetimes.h"

#include <algorithm>

#include "codegen/accesses.h"
#include "ir/memories.h"

namespace codegen {

Lifetimes::Lifetimes(const Plan& plan, const ir::Graph& graph) {
  values_.resize(memoriesOf(graph));
  for (size_t value = 0; value < graph.values.size(); ++value) {
    memories_.push_back(ir::memoryOf(graph, static_cast<int>(value)));
    values_[static_cast<size_t>(memories_.back())].push_back(static_cast<int>(value));
  }
  isGiven_.resize(values_.size(), false);
  for (const int input : graph.inputs) isGiven_[static_cast<size_t>(memoryOf(input))] = true;
  if (graph.generator) isGiven_[static_cast<size_t>(memoryOf(*graph.generator))] = true;
  first_.resize(values_.size(), -1);
  last_.resize(values_.size(), -1);
  for (const Step& step : plan.steps) {
    const auto number = static_cast<int>(ofSteps_.size());
    Access access = accessOf(step, plan, graph);
    std::vector<int>& values = ofSteps_.emplace_back(std::move(access.reads));
    values.insert(values.end(), access.writes.begin(), access.writes.end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const int value : values) {
      int& first = first_[static_cast<size_t>(memoryOf(value))];
      if (first < 0) first = number;
      last_[static_cast<size_t>(memoryOf(value))] = number;
    }
  }
  for (const int output : graph.outputs) last_[static_cast<size_t>(memoryOf(output))] = static_cast<int>(plan.steps.size());
}

}  // namespace codegen
