#include <c10/core/InferenceMode.h>

#include "runtime/call_state.h"

namespace runtime {
namespace {

/// Bytes of arguments and of results up to which a call is run on the host for their types.
constexpr int64_t mostHostBytes = int64_t{128} << 20;

Call::State boundOn(at::Device device, const inputs::Sample& sample) { return {sample, device, 0, {}}; }

int64_t bytesOf(const Call::State& call) {
  int64_t bytes = 0;
  for (const c10::IValue& argument : call.arguments)
    for (const at::Tensor& tensor : tensorsIn(argument)) bytes += tensor.numel() * tensor.itemsize();
  return bytes;
}

ir::Graph graphOn(const Call::State& call) {
  torch::jit::Stack stack;
  return graphOf(call, makeTensorList(call.run(call.arguments, stack)));
}

}  // namespace

std::optional<ir::Graph> foreseenGraph(const inputs::Sample& sample) {
  const c10::InferenceMode guard;
  try {
    const Call::State call = boundOn(at::kMeta, sample);
    try {
      return graphOn(call);
    } catch (const c10::Error&) {  // ATen has no such rule
    }
    if (bytesOf(call) > mostHostBytes) return std::nullopt;
    return graphOn(boundOn(at::kCPU, sample));
  } catch (const std::exception&) {  // whoever runs the call will say why
    return std::nullopt;
  }
}

}  // namespace runtime
