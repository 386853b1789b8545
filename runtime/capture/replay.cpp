#include "runtime/capture/replay.h"

#include "runtime/capture/bound_graph.h"
#include "runtime/torch/state.h"

namespace runtime {

Replay replay(const Capture& capture, const TensorList& operands) {
  std::vector<at::Tensor> inputs = operands.state().tensors;
  if (capture.constants) {
    const std::vector<at::Tensor>& constants = capture.constants.state().tensors;
    inputs.insert(inputs.end(), constants.begin(), constants.end());
  }
  BoundGraph::Results results = BoundGraph(capture.graph).run(std::move(inputs));
  return {makeTensorList(std::move(results.outputs)), std::move(results.hostReads)};
}

}  // namespace runtime
