#include "runtime/workloads/region/index_sources.h"

#include <ATen/ops/aminmax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "inputs/call.h"
#include "inputs/data/materialize.h"
#include "inputs/operators/facts.h"
#include "ir/argument_values.h"
#include "runtime/capture/bound_graph.h"
#include "runtime/capture/recording.h"
#include "runtime/torch/types.h"
#include "runtime/workloads/region/operands.h"

namespace runtime {
namespace {

constexpr int64_t largestBound = int64_t{1} << 30;  ///< also of i32

bool isInteger(const ir::Graph& graph, int value) {
  const ir::DType dtype = graph.values[static_cast<size_t>(value)].type.dtype;
  return ir::isIntegral(dtype) && dtype != ir::DType::Bool;
}

/// Calls that make integers of integers alone, inputs that may be any; its outputs are the indices among what they make.
struct IntegerCalls {
  ir::Graph graph;
  std::vector<inputs::Limits> legal;  ///< of each output
};

/// Calls `take(value, legal)` for each value that a call takes as an index, or as another integer that not all are.
template <typename Take>
void forEachIndex(const ir::Graph& graph, const ir::Node& node, const Take& take) {
  const inputs::Sample call = sampleOf(graph, node);
  forEachOperand(node, [&](int value, size_t argument, size_t item) {
    if (argument >= call.args.size() || !isInteger(graph, value)) return;
    const std::optional<inputs::Domain> domain = inputs::domainOf(inputs::Call(call, item), argument);
    if (domain && !domain->legal.isEverything()) take(value, domain->legal);
  });
}

IntegerCalls integerCalls(const ir::Graph& graph) {
  IntegerCalls calls{graph, {}};
  calls.graph.nodes.clear();
  calls.graph.outputs.clear();
  std::set<int> known, made;
  for (const int input : graph.inputs)
    if (isInteger(graph, input)) known.insert(input);
  for (const ir::Node& node : graph.nodes)
    forEachIndex(graph, node, [&](int value, const inputs::Limits&) { known.erase(value); });
  calls.graph.inputs.assign(known.begin(), known.end());
  for (const ir::Node& node : graph.nodes) {
    bool isPlain = node.writes.empty() && !node.outputs.empty();
    forEachIndex(graph, node, [&](int value, const inputs::Limits& legal) {
      isPlain = false;
      if (!made.contains(value)) return;
      calls.graph.outputs.push_back(value);
      calls.legal.push_back(legal);
    });
    for (const int output : node.outputs) isPlain = isPlain && isInteger(graph, output);
    ir::forEachValue(node, [&](int value) { isPlain = isPlain && known.contains(value); });
    if (!isPlain) continue;
    calls.graph.nodes.push_back(node);
    known.insert(node.outputs.begin(), node.outputs.end());
    made.insert(node.outputs.begin(), node.outputs.end());
  }
  std::set<int> needed(calls.graph.outputs.begin(), calls.graph.outputs.end());
  for (auto node = calls.graph.nodes.rbegin(); node != calls.graph.nodes.rend(); ++node) {
    if (std::none_of(node->outputs.begin(), node->outputs.end(), [&](int output) { return needed.contains(output); })) continue;
    ir::forEachValue(*node, [&](int value) { needed.insert(value); });
  }
  std::erase_if(calls.graph.nodes, [&](const ir::Node& node) { return !needed.contains(node.outputs.front()); });
  std::erase_if(calls.graph.inputs, [&](int input) { return !needed.contains(input); });
  return calls;
}

/// Whether all indices exist that calls make of inputs with these elements.
bool areLegal(const IntegerCalls& calls, const BoundGraph& bound, const std::function<at::Tensor(int64_t count)>& elements) {
  std::vector<at::Tensor> inputs;
  for (const int input : calls.graph.inputs) {
    const ir::TensorType& type = calls.graph.values[static_cast<size_t>(input)].type;
    const at::Tensor storage = elements(type.storageElements()).to(inputs::scalarType(type.dtype));
    inputs.push_back(storage.as_strided(type.sizes, type.strides));
  }
  const std::vector<at::Tensor> made = bound.run(std::move(inputs)).outputs;
  for (size_t i = 0; i < made.size(); ++i) {
    const inputs::Limits& legal = calls.legal[i];
    if (made[i].numel() == 0) continue;
    const auto [least, most] = at::aminmax(made[i]);
    if (!legal.hold(least.item<int64_t>()) || !legal.hold(most.item<int64_t>())) return false;
  }
  return true;
}

}  // namespace

std::optional<IndexSources> indexSourcesOf(const ir::Graph& graph) {
  const IntegerCalls calls = integerCalls(graph);
  if (calls.graph.inputs.empty()) return std::nullopt;
  const BoundGraph bound(calls.graph, at::Device(at::kCPU));
  IndexSources sources{{calls.graph.inputs.begin(), calls.graph.inputs.end()}, largestBound};
  const auto all = [](int64_t number) { return [number](int64_t count) { return at::full({count}, number, at::kLong); }; };
  const auto counted = [&](int64_t count) { return at::arange(count, at::kLong).remainder(sources.below); };
  while (sources.below > 1 &&
         !(areLegal(calls, bound, all(sources.below - 1)) && areLegal(calls, bound, all(0)) && areLegal(calls, bound, counted)))
    sources.below /= 2;
  return sources;
}

}  // namespace runtime
