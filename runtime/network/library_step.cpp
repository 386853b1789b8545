#include "runtime/network/library_step.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/function.h>

#include <set>

namespace runtime {
namespace {

/// While it lives, ATen uses neither cuDNN nor oneDNN, if that is asked for.
class WithoutFused {
 public:
  explicit WithoutFused(bool isAsked)
      : cudnn_(at::globalContext().userEnabledCuDNN()), mkldnn_(at::globalContext().userEnabledMkldnn()) {
    if (isAsked) set(false, false);
  }
  ~WithoutFused() { set(cudnn_, mkldnn_); }
  WithoutFused(const WithoutFused&) = delete;
  WithoutFused& operator=(const WithoutFused&) = delete;

 private:
  static void set(bool cudnn, bool mkldnn) {
    at::globalContext().setUserEnabledCuDNN(cudnn);
    at::globalContext().setUserEnabledMkldnn(mkldnn);
  }

  bool cudnn_, mkldnn_;
};

}  // namespace

Forward libraryForward(const Recurrent& network, bool isFused) {
  return [&network, isFused](const Operands& operands) -> std::vector<at::Tensor> {
    const WithoutFused settings(!isFused);
    constexpr bool hasBiases = true, isBatchFirst = false;
    constexpr double dropout = 0;
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
