#include "runtime/workloads/network/library_step.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "runtime/capture/choices.h"

namespace runtime {
Forward libraryForward(const Recurrent& network, bool isFused) {
  return [&network, isFused](const Operands& operands) -> std::vector<at::Tensor> {
    std::optional<PortableOperators> portable;
    if (!isFused) portable.emplace();
    constexpr bool hasBiases = true, isBatchFirst = false;
    const double dropout = network.dropout;
    if (network.cell == Cell::Gru) {
      auto [output, h] = at::gru(operands.input, operands.h0, operands.weights, hasBiases, network.layers, dropout,
                                 network.isTraining, network.isBidirectional, isBatchFirst);
      return {output, h};
    }
    auto [output, h, c] = at::lstm(operands.input, {operands.h0, operands.c0}, operands.weights, hasBiases, network.layers,
                                   dropout, network.isTraining, network.isBidirectional, isBatchFirst);
    return {output, h, c};
  };
}

Forward packedForward(const Recurrent& network) {
  std::vector<int64_t> order(network.lengths.size()), back(order.size()), lengths(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return network.lengths[static_cast<size_t>(a)] > network.lengths[static_cast<size_t>(b)];
  });
  for (size_t i = 0; i < order.size(); ++i) {
    lengths[i] = network.lengths[static_cast<size_t>(order[i])];
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return [&network, order = at::tensor(order), back = at::tensor(back), lengths = at::tensor(lengths)](const Operands& operands) {
    const at::Device device = operands.input.device();
    const at::Tensor sorting = order.to(device), unsorting = back.to(device);
    const auto sorted = [&](const at::Tensor& tensor) { return tensor.index_select(1, sorting); };
    const auto unsorted = [&](const at::Tensor& tensor) { return tensor.index_select(1, unsorting); };
    const auto [packed, batches] = at::_pack_padded_sequence(sorted(operands.input), lengths, /*batch_first=*/false);
    const auto [output, h, c] = at::lstm(packed, batches, {sorted(operands.h0), sorted(operands.c0)}, operands.weights,
                                         /*has_biases=*/true, network.layers,
                                         /*dropout=*/0, network.isTraining, network.isBidirectional);
    const auto padded = at::_pad_packed_sequence(output, batches, /*batch_first=*/false, 0, network.length);
    return std::vector<at::Tensor>{unsorted(std::get<0>(padded)), unsorted(h), unsorted(c)};
  };
}

Forward withIdleNorms(const Recurrent& network, Forward forward) {
  return [&network, forward = std::move(forward)](const Operands& operands) {
    std::vector<at::Tensor> results = forward(operands);
    const auto norm = [](const at::Tensor& tensor) { at::layer_norm(tensor, {tensor.size(1)}); };
    const at::Tensor product = at::zeros({network.batch, network.gates() * network.hidden}, operands.input.options());
    const at::Tensor state = operands.c0.select(0, 0);
    for (int64_t step = 0; step < network.length; ++step) {
      norm(product);
      norm(product);
      norm(state);
    }
    return results;
  };
}

std::string libraryOf(const at::Tensor& output) {
  std::vector<torch::autograd::Node*> left{output.grad_fn().get()};
  std::set<torch::autograd::Node*> seen;
  while (!left.empty()) {
    torch::autograd::Node* node = left.back();
    left.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    const std::string name = node->name();
    if (name.find("Cudnn") != std::string::npos) return "cuDNN";
    if (name.find("Mkldnn") != std::string::npos) return "oneDNN";
    for (const torch::autograd::Edge& edge : node->next_edges()) left.push_back(edge.function.get());
  }
  return "ATen";
}

}  // namespace runtime
