#include <ATen/OpMathType.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "runtime/torch/call_state.h"

namespace runtime {
namespace {

/// Bytes of arguments up to which a call is run on the host for their types.
constexpr int64_t mostHostBytes = int64_t{512} << 20;

Call::State boundOn(at::Device device, const inputs::Sample& sample) { return {sample, device, 0, {}}; }

ir::Graph graphOn(const Call::State& call) {
  torch::jit::Stack stack;
  return graphOf(call, makeTensorList(call.run(call.arguments, stack)));
}

/// The gradients of a normalization that its mask, the last argument, asks for.
std::vector<at::Tensor> gradients(const torch::jit::Stack& arguments, const at::Tensor& ofInput, const at::Tensor& ofChannels) {
  const c10::List<bool> mask = arguments.back().toBoolList();
  std::vector<at::Tensor> made;
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask[i]) made.push_back(at::empty_like(i == 0 ? ofInput : ofChannels));
  return made;
}

/// The results of normalizations as CUDA has them. ATen's rules and the host have them otherwise: with statistics of half
/// precision, with none for evaluation, or not at all.
std::optional<std::vector<at::Tensor>> normalizedOnCuda(const Call::State& call) {
  const torch::jit::Stack& arguments = call.arguments;
  const auto tensor = [&](size_t i) { return arguments.at(i).isTensor() ? arguments[i].toTensor() : at::Tensor(); };
  const auto statistic = [](const at::Tensor& input, at::IntArrayRef sizes) {
    return at::empty(sizes, input.options().dtype(at::toOpMathType(input.scalar_type())));
  };
  if (call.op == "aten.native_batch_norm.default") {
    const at::Tensor input = tensor(0);
    const int64_t channels = input.size(1);
    std::vector<at::Tensor> results{at::empty_like(input), statistic(input, channels), statistic(input, channels)};
    call.appendUnreturned(arguments, results);
    return results;
  }
  if (call.op == "aten.native_batch_norm_backward.default") {
    const at::Tensor input = tensor(1), like = tensor(2).defined() ? tensor(2) : input;
    return gradients(arguments, input, at::empty({input.size(1)}, like.options()));
  }
  if (call.op == "aten.native_layer_norm.default") {
    const at::Tensor input = tensor(0);
    std::vector<int64_t> rows = input.sizes().vec();
    std::fill(rows.end() - std::ssize(arguments.at(1).toIntVector()), rows.end(), 1);
    return std::vector<at::Tensor>{at::empty(input.sizes(), input.options()), statistic(input, rows), statistic(input, rows)};
  }
  if (call.op == "aten.native_layer_norm_backward.default") {
    const at::Tensor input = tensor(1), like = tensor(5).defined() ? tensor(5) : input;
    return gradients(arguments, at::empty(input.sizes(), input.options()),
                     at::empty(arguments.at(2).toIntVector(), like.options()));
  }
  return std::nullopt;
}

/// Of a call whose arguments have no data.
std::optional<ir::Graph> graphByRule(const Call::State& call) {
  try {
    return graphOn(call);
  } catch (const c10::Error&) {  // ATen has no such rule
    return std::nullopt;
  }
}

}  // namespace

std::optional<ir::Graph> graphByRule(const inputs::Sample& sample) {
  const c10::InferenceMode guard;
  try {
    return graphByRule(boundOn(at::kMeta, sample));
  } catch (const std::exception&) {  // whoever runs the call will say why
    return std::nullopt;
  }
}

std::optional<ir::Graph> foreseenGraph(const inputs::Sample& sample, ir::Backend backend) {
  const c10::InferenceMode guard;
  try {
    const Call::State call = boundOn(at::kMeta, sample);
    if (backend == ir::Backend::Cuda)
      if (auto results = normalizedOnCuda(call)) return graphOf(call, makeTensorList(std::move(*results)));
    if (auto graph = graphByRule(call)) return graph;
    if (inputs::argumentBytes(sample) > mostHostBytes) return std::nullopt;
    return graphOn(boundOn(at::kCPU, sample));
  } catch (const std::exception&) {  // whoever runs the call will say why
    return std::nullopt;
  }
}

}  // namespace runtime
