#pragma once

#include <string>

#include "runtime/workloads/network/step.h"

namespace runtime {

/// ATen's own call of the network, as torch's modules make it. `isFused` lets it use cuDNN, or on a CPU oneDNN, where these can.
Forward libraryForward(const Recurrent& network, bool isFused);

/// ATen's own call for sequences that have lengths of their own, which ATen packs and pads again.
Forward packedForward(const Recurrent& network);

/// A network after which three layer norms of a product's or a state's size are computed for each step, and not used: its time
/// is a lower bound for a network with layer norms.
Forward withIdleNorms(const Recurrent& network, Forward forward);

/// The library that computes a network's output, as the names of its autograd nodes tell: `cuDNN`, `oneDNN` or `ATen`.
std::string libraryOf(const at::Tensor& output);

}  // namespace runtime
