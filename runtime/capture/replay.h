#pragma once

#include "runtime/capture/capture.h"

namespace runtime {

struct Replay {
  TensorList outputs;                   ///< the graph's; an output that is an operand is that operand itself
  std::vector<ir::Argument> hostReads;  ///< as Capture::hostReads
};

/// Carries out a captured graph call by call, below autograd and autocast, on operands and new memory: what the graph means.
/// Forward calls are told that gradients are wanted where the graph has a backward pass. What it draws comes from ATen's
/// generator. Errors: ATen's.
Replay replay(const Capture& capture, const TensorList& operands);

}  // namespace runtime
