#pragma once

#include <functional>
#include <vector>

#include "runtime/callable.h"
#include "runtime/profile/recorder.h"
#include "runtime/torch/translate.h"
#include "runtime/workload.h"
#include "runtime/workloads/network/operands.h"

namespace runtime {

/// What a contender computes of a network's operands: the output [length, batch, directions * output size], then the last states,
/// h [layers * directions, batch, output size] and, of an LSTM, c [layers * directions, batch, hidden].
using Forward = std::function<std::vector<at::Tensor>(const Operands&)>;

/// One step: forward and, in training, backward from the output's gradient. `mark` is called where a phase begins and where the
/// last ends. Returns the results of `forward`, then the gradient of each weight, which is zero where none reaches it.
std::vector<at::Tensor> runStep(const Recurrent& network, const Operands& operands, const Forward& forward,
                                const std::function<void()>& mark);

/// The phases of a step, in order.
std::vector<std::string> phasesOf(const Recurrent& network);

/// What a contender does in a run: it calls what it is given where a phase begins and where the last ends, and returns the
/// results.
using Step = std::function<std::vector<at::Tensor>(const std::function<void()>& mark)>;

/// A step as it is raced, on a device; `name` is its network's in messages. It is called directly, as users call it; `isCaptured`
/// has it in one CUDA graph.
CallablePtr stepCallable(std::string name, std::vector<std::string> phases, at::Device device, Step step, bool isCaptured);

/// Runs a callable that often, so that it makes what its first runs make. Each begins with the drawn operands, as a position in a
/// cache that runs move on is an index, and these are left behind.
void warmUp(Callable& callable, Workload& workload, int runs);

/// Runs a phase: it is marked, has a range of its name in profiles, and is named by what ATen throws.
template <typename Run>
auto inPhase(const char* name, const std::function<void()>& mark, const Run& run) {
  mark();
  const Range range(name);
  return namePlace(name, run);
}

/// Takes the gradient of each weight, undefined where none reaches it, and leaves none behind.
std::vector<at::Tensor> takeGradients(const std::vector<at::Tensor>& weights);
/// The gradients of weights as results: zeros where none reaches a weight.
std::vector<at::Tensor> orZeros(std::vector<at::Tensor> gradients, const std::vector<at::Tensor>& weights);

/// Puts ATen's generator for a device to its beginning.
void reseedGenerator(at::Device device);

}  // namespace runtime
