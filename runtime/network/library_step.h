#pragma once

#include <string>

#include "runtime/network/step.h"

namespace runtime {

/// ATen's own call of the network, as torch's modules make it. `isFused` lets it use cuDNN, or on a CPU oneDNN, where these can.
Forward libraryForward(const Recurrent& network, bool isFused);

/// The library that computes a network's output, as the names of its autograd nodes tell: `cuDNN`, `oneDNN` or `ATen`.
std::string libraryOf(const at::Tensor& output);

}  // namespace runtime
