#include "runtime/workloads/network/operands.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <cmath>
#include <limits>

#include "inputs/data/materialize.h"
#include "inputs/random.h"

namespace runtime {
namespace {

/// A stream of random numbers for the tensor of a number.
uint64_t streamOf(uint64_t seed, uint64_t number) { return inputs::randomBits(seed ^ 0x6e6574776f726bULL, number); }

/// Fills a tensor with what `element` makes of numbers between 0 and 1.
template <typename F>
void fillWith(const at::Tensor& tensor, uint64_t stream, const F& element) {
  const at::Tensor drawn = at::empty(tensor.sizes(), at::kDouble);
  auto* values = drawn.data_ptr<double>();
  for (int64_t i = 0; i < drawn.numel(); ++i)
    values[i] = element(inputs::uniform(inputs::randomBits(stream, static_cast<uint64_t>(i))));
  tensor.copy_(drawn);
}

/// cuDNN's name of a cell in ATen.
int64_t cudnnMode(Cell cell) { return cell == Cell::Lstm ? 2 : 3; }

/// Moves the weights into one piece of memory, so that cuDNN need not copy them in each run.
void flatten(const Recurrent& network, std::vector<at::Tensor>& weights) {
  at::_cudnn_rnn_flatten_weight(weights, parametersOfLayer(network), network.input, cudnnMode(network.cell), network.hidden,
                                network.projection, network.layers, /*batch_first=*/false, network.isBidirectional);
}

}  // namespace

std::vector<at::Tensor> Operands::all() const {
  std::vector<at::Tensor> tensors{input, h0};
  if (c0.defined()) tensors.push_back(c0);
  tensors.insert(tensors.end(), weights.begin(), weights.end());
  if (gradient.defined()) tensors.push_back(gradient);
  return tensors;
}

Operands makeOperands(const Recurrent& network, at::Device device) {
  const c10::InferenceMode normal(false);
  const at::NoGradGuard noGrad;
  const auto options = at::TensorOptions(device).dtype(inputs::scalarType(network.dtype));
  const int64_t states = network.layers * network.directions();
  Operands operands;
  operands.input = at::empty({network.length, network.batch, network.input}, options);
  operands.h0 = at::empty({states, network.batch, network.outputSize()}, options);
  if (network.cell == Cell::Lstm) operands.c0 = at::empty({states, network.batch, network.hidden}, options);
  for (const Parameter& parameter : parametersOf(network)) operands.weights.push_back(at::empty(parameter.sizes, options));
  if (device.is_cuda() && network.dtype != ir::DType::BF16 && network.hasBiases()) flatten(network, operands.weights);
  if (!network.isTraining) return operands;
  operands.gradient = at::empty({network.length, network.batch, network.directions() * network.outputSize()}, options);
  for (at::Tensor& weight : operands.weights) weight.set_requires_grad(true);
  return operands;
}

void drawOperands(const Recurrent& network, uint64_t seed, const Operands& operands) {
  const c10::InferenceMode normal(false);
  const at::NoGradGuard noGrad;
  const double bound = 1 / std::sqrt(static_cast<double>(network.hidden));
  uint64_t number = 0;
  for (const at::Tensor& tensor : {operands.input, operands.h0, operands.c0, operands.gradient})
    if (tensor.defined()) fillWith(tensor, streamOf(seed, number++), [](double p) { return inputs::normalQuantile(p); });
  const std::vector<Parameter> parameters = parametersOf(network);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const double middle = parameters[i].name.ends_with(".weight") ? 1 : 0;  // of a norm
    fillWith(operands.weights[i], streamOf(seed, number++), [&](double p) { return middle + bound * (2 * p - 1); });
  }
}

Operands copied(const Operands& operands, const TensorChange& change) {
  const c10::InferenceMode normal(false);
  const at::NoGradGuard noGrad;
  const auto copy = [&](const at::Tensor& tensor) { return tensor.defined() ? change(tensor) : at::Tensor(); };
  Operands copies{copy(operands.input), copy(operands.h0), copy(operands.c0), {}, copy(operands.gradient)};
  for (const at::Tensor& weight : operands.weights) {
    copies.weights.push_back(copy(weight).contiguous());
    copies.weights.back().set_requires_grad(weight.requires_grad());
  }
  return copies;
}

}  // namespace runtime
