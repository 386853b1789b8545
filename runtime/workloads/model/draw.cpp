// The operands of a model from a seed.
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include "runtime/program/draw.h"
#include "runtime/torch/translate.h"
#include "runtime/workloads/model/model.h"

namespace runtime {
namespace {

at::Tensor inChannelsLast(const at::Tensor& tensor) {
  return tensor.dim() == 4 ? tensor.contiguous(at::MemoryFormat::ChannelsLast) : tensor;
}

}  // namespace

std::vector<at::Tensor> Model::drawnInputs(uint64_t seed) const {
  std::map<std::string, IntegerRange> ranges;
  for (size_t i = 0; i < spec_.inputs.size(); ++i)
    if (spec_.inputs[i].bound) ranges[program_->inputs()[i].name] = {spec_.inputs[i].least, *spec_.inputs[i].bound};
  constexpr uint64_t ofInputs = 0x1a7e57;  // another stream than the state's
  return drawInputs(*program_, spec_.sizes(), seed ^ ofInputs, device_, castTo_, ranges);
}

Model::Tensors Model::drawn(uint64_t seed) const {
  const c10::InferenceMode normal(false);
  const at::NoGradGuard noGrad;
  Tensors tensors{drawState(*program_, seed, device_, castTo_), drawnInputs(seed), {}, std::nullopt, std::nullopt};
  for (at::Tensor& tensor : tensors.state) {
    const bool requiresGrad = tensor.requires_grad() && spec_.isTraining;
    if (spec_.isChannelsLast) tensor = inChannelsLast(tensor.detach());
    tensor.set_requires_grad(requiresGrad);
  }
  if (spec_.isChannelsLast)
    for (at::Tensor& input : tensors.inputs) input = inChannelsLast(input);
  return tensors;
}

void Model::draw(uint64_t seed, const inputs::Data&) {
  translateErrors(op_, [&] {
    restore(0);
    const c10::InferenceMode normal(false);
    const at::NoGradGuard noGrad;
    redrawState(*program_, seed, tensors_.state);
    const std::vector<at::Tensor> inputs = drawnInputs(seed);
    for (size_t i = 0; i < inputs.size(); ++i) tensors_.inputs[i].copy_(inputs[i]);
    if (tensors_.optimizer)
      for (const at::Tensor& tensor : tensors_.optimizer->state()) tensor.zero_();
    const std::vector<at::Tensor> drawn = written(tensors_);
    for (size_t i = 0; i < drawn.size(); ++i) pristine_[i].copy_(drawn[i]);
  });
}

}  // namespace runtime
