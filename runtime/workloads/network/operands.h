#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/workloads/network/recurrent.h"

namespace runtime {

/// The tensors of a recurrent network, none of which any run writes. They are made outside of inference mode.
struct Operands {
  at::Tensor input;                 ///< [length, batch, input]
  at::Tensor h0;                    ///< first states, [layers * directions, batch, output size]
  at::Tensor c0;                    ///< first states of LSTM cells, [layers * directions, batch, hidden]; undefined for a GRU
  std::vector<at::Tensor> weights;  ///< leaves of autograd, in the order of parametersOf()
  at::Tensor gradient;              ///< of the output, [length, batch, directions * output size]; undefined in inference

  /// All of them, in this order.
  std::vector<at::Tensor> all() const;
};

/// New tensors on a device, their elements undefined. On CUDA the weights lie in one piece of memory, as cuDNN wants them.
Operands makeOperands(const Recurrent& network, at::Device device);
/// Draws all elements: the input and the states from a normal distribution, weights evenly within 1 / sqrt(hidden) of 0, or of 1
/// for layer norms, as torch's modules begin. Equal seeds give equal elements on any device.
void drawOperands(const Recurrent& network, uint64_t seed, const Operands& operands);

/// Makes a copy of a tensor of floating point.
using TensorChange = std::function<at::Tensor(const at::Tensor&)>;
/// Copies of all of them, changed.
Operands copied(const Operands& operands, const TensorChange& change);

}  // namespace runtime
