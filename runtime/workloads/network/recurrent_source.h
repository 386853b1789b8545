#pragma once

#include <string>
#include <string_view>

#include "runtime/workloads/network/recurrent.h"

namespace runtime {

/// The TorchScript source of a creator. It defines `paired`, a layer of input, a tuple of states, and weights; without layer
/// norms also `layer`, of flat arguments, and `network`, of the states and weights of all layers.
std::string recurrentSource(std::string_view creator, const Recurrent& network);

}  // namespace runtime
