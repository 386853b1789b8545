#pragma once

#include <functional>

#include "runtime/workloads/network/step.h"

namespace runtime {

/// What a layer computes in one direction: its output [length, batch, output size], and its last states [batch, ..].
struct LayerResult {
  at::Tensor output, h, c;  ///< a GRU hands its `c` through
};

/// A layer in one direction, of an input [length, batch, ..], first states [batch, ..] and its weights, in ATen's order.
using Layer = std::function<LayerResult(const at::Tensor& input, const at::Tensor& h, const at::Tensor& c,
                                        at::ArrayRef<at::Tensor> weights)>;

/// A network that has its layers computed one after another; the second direction reads the input from its end.
Forward layered(const Recurrent& network, Layer layer);

/// A layer as a loop of ATen calls.
Layer loopLayer(const Recurrent& network);

/// A network whose sequences have lengths of their own, each computed by itself; outputs are padded with zeros.
Forward perSequence(const Recurrent& network, Forward forward);

/// The network as a loop of ATen calls, whatever it has: what checks compare with.
Forward loopForward(const Recurrent& network);

}  // namespace runtime
