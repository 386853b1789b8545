#include "lowering/graph/biases.h"

#include <algorithm>
#include <utility>

#include "lowering/graph/list_of.h"
#include "lowering/graph/rewritten.h"
#include "lowering/partition/data_flow.h"

namespace lowering {
namespace {

using IsGenerated = std::function<bool(const ir::Node&)>;

/// The argument of a node that has this name, which is there.
ir::Argument& argumentOf(ir::Node& node, std::string_view name) {
  return std::find_if(node.args.begin(), node.args.end(), [&](const ir::NamedArgument& one) { return one.name == name; })->value;
}

/// The sizes in which a bias of channels is added to an image.
std::vector<int64_t> sizesOfBias(const ir::TensorType& image) {
  std::vector<int64_t> sizes(image.sizes.size() - 1, 1);
  sizes.front() = image.sizes[1];
  return sizes;
}

/// Convolutions whose results kernels read, without their biases.
ir::Graph withSumsApart(const ir::Graph& graph, const IsGenerated& isGenerated) {
  const DataFlow flow(graph);
  const auto isReadByKernel = [&](int value) {
    const std::vector<int>& users = flow.usersOf(flow.memoryOf(value));
    return std::any_of(users.begin(), users.end(), [&](int user) {
      return user != flow.makerOf(value) && isGenerated(graph.nodes[static_cast<size_t>(user)]);
    });
  };
  return withBiasesApart(graph, isGenerated, [&](const ir::Node& node) -> std::optional<WithoutBias> {
    if (node.op != "aten.convolution.default") return std::nullopt;
    const auto* bias = node.find<ir::ValueRef>("bias");
    if (bias == nullptr || !isReadByKernel(node.outputs.front())) return std::nullopt;
    if (!graph.values[static_cast<size_t>(bias->index)].type.isContiguous()) return std::nullopt;
    WithoutBias apart{node, bias->index, sizesOfBias(graph.values[static_cast<size_t>(node.outputs.front())].type)};
    argumentOf(apart.call, "bias") = ir::None{};
    return apart;
  });
}

/// The number of a bias's gradient among the gradients of a convolution.
constexpr size_t ofBias = 2;

/// Whether a call gives the gradient of a convolution's bias.
bool givesGradientOfBias(const ir::Node& node) {
  if (node.op != "aten.convolution_backward.default") return false;
  const auto* mask = node.find<ir::List>("output_mask");
  if (mask == nullptr || mask->items.size() <= ofBias) return false;
  const bool* isAsked = mask->items[ofBias].as<bool>();
  return isAsked != nullptr && *isAsked;
}

/// The sum that is the gradient of a convolution's bias.
ir::Node gradientOfBias(const ir::Node& node, const ir::Graph& graph) {
  const auto* gradient = node.find<ir::ValueRef>("grad_output");
  const auto dims = static_cast<int64_t>(graph.values[static_cast<size_t>(gradient->index)].type.sizes.size());
  std::vector<int64_t> summed{0};
  for (int64_t dim = 2; dim < dims; ++dim) summed.push_back(dim);
  return {"aten.sum.dim_IntList",
          {{"self", *gradient}, {"dim", listOf(summed)}, {"keepdim", false}, {"dtype", ir::None{}}},
          {node.outputs.back()},
          {},
          node.scope};
}

/// Gradients of convolutions that leave their biases' to sums.
ir::Graph withGradientsApart(const ir::Graph& graph, const IsGenerated& isGenerated) {
  Rewritten rewritten(graph);
  for (const ir::Node& node : graph.nodes) {
    ir::Node call = node;
    if (givesGradientOfBias(node)) {
      if (ir::Node sum = gradientOfBias(node, graph); isGenerated(sum)) {
        rewritten.add(std::move(sum));
        call.outputs.pop_back();
        std::get<ir::List>(argumentOf(call, "output_mask").data).items[ofBias] = false;
      }
    }
    if (!call.outputs.empty()) rewritten.add(std::move(call));
    rewritten.endCall();
  }
  return rewritten.result();
}

}  // namespace

ir::Graph withBiasesApart(const ir::Graph& graph, const IsGenerated& isGenerated,
                          const std::function<std::optional<WithoutBias>(const ir::Node&)>& apart) {
  Rewritten rewritten(graph);
  for (const ir::Node& node : graph.nodes) {
    std::optional<WithoutBias> without = apart(node);
    ir::Node sum{"aten.add.Tensor", {}, node.outputs, {}, node.scope};
    if (without && isGenerated(sum)) {
      const int made = rewritten.likeOf(node.outputs.front(), "_without_bias");
      without->call.outputs = {made};
      rewritten.add(std::move(without->call));
      const int bias = rewritten.viewOf(without->bias, without->sizes, node.scope);
      sum.args = {{"self", ir::ValueRef{made}}, {"other", ir::ValueRef{bias}}, {"alpha", int64_t{1}}};
      rewritten.add(std::move(sum));
    } else {
      rewritten.add(node);
    }
    rewritten.endCall();
  }
  return rewritten.result();
}

ir::Graph withConvolutionBiases(const ir::Graph& graph, const IsGenerated& isGenerated) {
  return withGradientsApart(withSumsApart(graph, isGenerated), isGenerated);
}

}  // namespace lowering
