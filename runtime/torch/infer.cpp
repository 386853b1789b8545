#include "runtime/torch/infer.h"

#include <ATen/OpMathType.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "runtime/torch/aten_call.h"
#include "runtime/torch/state.h"

namespace runtime {
namespace {

/// Bytes of arguments up to which a call is run on the host for their types.
constexpr int64_t mostHostBytes = int64_t{512} << 20;

AtenCall boundOn(at::Device device, const inputs::Sample& sample) { return {sample, device, 0, {}}; }

ir::Graph graphOn(const AtenCall& call) {
  torch::jit::Stack stack;
  return graphOf(call, makeTensorList(call.run(call.arguments, stack)));
}

/// The results of a normalization as CUDA has them. ATen's rules and the host have them otherwise: with statistics of half
/// precision, with none for evaluation, or not at all. Its schema tells one: it has an `eps` or an `output_mask`, and normalizes
/// rows of a `normalized_shape`, or channels that have a `running_mean`. cuDNN's have an `epsilon`, and a reserve space, which is
/// empty.
std::optional<std::vector<at::Tensor>> normalizedOnCuda(const AtenCall& call) {
  const c10::FunctionSchema& schema = call.handle.schema();
  const auto argument = [&](const char* name) {
    const auto index = schema.argumentIndexWithName(name);
    return index ? call.arguments.at(static_cast<size_t>(*index)) : c10::IValue();
  };
  const c10::IValue shape = argument("normalized_shape"), mask = argument("output_mask"), weight = argument("weight");
  const bool ofChannels = schema.argumentIndexWithName("running_mean").has_value();
  const bool isCudnn = schema.name().starts_with("aten::cudnn_batch_norm"), isForward = argument("training").isBool();
  if (!isCudnn && ((shape.isNone() && !ofChannels) || schema.returns().size() != 3)) return std::nullopt;
  if (isCudnn && isForward && !argument("training").toBool()) return std::nullopt;

  const at::Tensor input = argument("input").toTensor();
  const at::Tensor likeInput = ofChannels ? at::empty_like(input) : at::empty(input.sizes(), input.options());
  if (mask.isBoolList() || (isCudnn && !isForward)) {
    const std::vector<int64_t> sizes = ofChannels ? std::vector{input.size(1)} : shape.toIntVector();
    const at::Tensor likeWeight = at::empty(sizes, weight.isTensor() ? weight.toTensor().options() : input.options());
    std::vector<at::Tensor> gradients;
    for (size_t i = 0; i < 3; ++i)
      if (isCudnn || mask.toBoolList()[i]) gradients.push_back(at::empty_like(i == 0 ? likeInput : likeWeight));
    return gradients;
  }
  if (argument("eps").isNone() && !isCudnn) return std::nullopt;
  std::vector<int64_t> sizes = ofChannels ? std::vector{input.size(1)} : input.sizes().vec();
  if (!ofChannels) std::fill(sizes.end() - std::ssize(shape.toIntVector()), sizes.end(), 1);
  const auto statistics = input.options().dtype(at::toOpMathType(input.scalar_type()));
  std::vector<at::Tensor> results{likeInput, at::empty(sizes, statistics), at::empty(sizes, statistics)};
  if (isCudnn) results.push_back(at::empty({0}, input.options().dtype(at::kByte)));
  call.appendUnreturned(call.arguments, results);
  return results;
}

/// The graph of a call whose arguments have no data.
std::optional<ir::Graph> graphByRule(const AtenCall& call) {
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

bool isViewByRule(const inputs::Sample& sample) {
  const c10::InferenceMode guard;
  try {
    return boundOn(at::kMeta, sample).isView();
  } catch (const std::exception&) {  // ATen has no such rule, or whoever runs the call will say why
    return false;
  }
}

std::optional<ir::Graph> inferGraph(const inputs::Sample& sample, ir::Backend backend) {
  const c10::InferenceMode guard;
  try {
    const AtenCall call = boundOn(at::kMeta, sample);
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
