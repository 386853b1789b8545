#include "runtime/capture/bound_graph.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "ir/argument_values.h"
#include "ir/error.h"
#include "runtime/torch/translate.h"

namespace runtime {

BoundGraph::BoundGraph(const ir::Graph& graph, std::optional<at::Device> device, Precision precision) : graph_(graph) {
  for (const ir::Node& node : graph.nodes) {
    calls_.push_back(translateErrors(node.op, [&] { return BoundCall(node, device, precision); }));
    const auto* first = node.args.empty() ? nullptr : node.args.front().value.as<ir::ValueRef>();
    if (first != nullptr) calls_.back().countFromGraphMemory(graph.values[static_cast<size_t>(first->index)].offset);
  }
  lastUsed_.resize(graph.nodes.size());
  std::vector<int> last(graph.values.size(), -1);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto use = [&](int value) { last[static_cast<size_t>(value)] = static_cast<int>(i); };
    ir::forEachValue(graph.nodes[i], use);
    for (const int output : graph.nodes[i].outputs) use(output);
  }
  for (const int output : graph.outputs) last[static_cast<size_t>(output)] = -1;
  for (size_t value = 0; value < last.size(); ++value)
    if (last[value] >= 0) lastUsed_[static_cast<size_t>(last[value])].push_back(static_cast<int>(value));
  keepsForBackward_ = wantsGradients(graph, ir::Phase::Forward);
}

BoundGraph::Results BoundGraph::run(std::vector<at::Tensor> inputs, const Observer& observe) const {
  const GraphCalls modes;
  ir::require(inputs.size() == graph_.inputs.size(), "{} operands for the {} inputs of a graph", inputs.size(),
              graph_.inputs.size());
  std::vector<at::Tensor> values(graph_.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[static_cast<size_t>(graph_.inputs[i])] = std::move(inputs[i]);
  const auto tensorOf = [&](int value) -> const at::Tensor& { return values[static_cast<size_t>(value)]; };
  Results results;
  for (size_t i = 0; i < calls_.size(); ++i) {
    const at::AutoGradMode mode(keepsForBackward_ && graph_.nodes[i].scope.phase == ir::Phase::Forward);
    std::vector<at::Tensor> made = translateErrors(graph_.nodes[i].op, [&] { return calls_[i](tensorOf, results.hostReads); });
    for (size_t k = 0; k < made.size(); ++k) {
      const int output = calls_[i].outputs()[k];
      at::Tensor& value = values[static_cast<size_t>(output)];
      if (observe) observe(output, made[k]);
      if (!value.defined()) value = std::move(made[k]);
    }
    for (const int value : lastUsed_[i]) values[static_cast<size_t>(value)].reset();
  }
  for (const int output : graph_.outputs) results.outputs.push_back(values[static_cast<size_t>(output)]);
  return results;
}

bool BoundGraph::isRandom() const {
  return std::any_of(calls_.begin(), calls_.end(), [](const BoundCall& call) { return call.isRandom(); });
}

}  // namespace runtime
