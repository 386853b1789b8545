#pragma once

#include <string>
#include <string_view>

#include "runtime/network/recurrent.h"

namespace runtime {

/// The TorchScript source of a creator that begins with `jit`. It defines `layer`, of input, states and weights; jit_multilayer's
/// also `network`, of input, states and weights of all layers.
std::string recurrentSource(std::string_view creator, const Recurrent& network);

}  // namespace runtime
