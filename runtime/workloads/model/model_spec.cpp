#include "runtime/workloads/model/model_spec.h"

#include "inputs/data/materialize.h"
#include "runtime/workloads/network/keywords.h"

namespace runtime {

ModelSpec modelOf(const inputs::Sample& sample) {
  const NetworkName name = networkNameOf(sample.op);
  ModelSpec spec;
  Keywords keywords(sample);
  spec.name = name.network;
  spec.isTraining = name.isTraining;
  spec.dtype = keywords.word("dtype", "float32", {"float32", "float16", "bfloat16", "float64"});
  const std::string amp = keywords.word("amp", "", {"float16", "bfloat16"});
  if (!amp.empty()) spec.amp = amp == "float16" ? at::kHalf : at::kBFloat16;
  spec.loss = keywords.word("loss", "", {"cross_entropy", "mean", "gradient"});
  spec.optimizer.name = keywords.word("optimizer", "", {"sgd", "adam", "adamw"});
  spec.optimizer.isFused = keywords.word("optimizer_form", "foreach", {"foreach", "fused"}) == "fused";
  spec.scalesGradients = keywords.flag("grad_scaler");
  spec.isChannelsLast = keywords.flag("channels_last");
  const std::vector<int64_t> bounds = keywords.numbers("bounds", 1, int64_t{1} << 62);
  const std::vector<int64_t> least = keywords.numbers("least", 0, int64_t{1} << 62);
  if (!least.empty() && least.size() != bounds.size()) keywords.refuse("'least' has a number for each of 'bounds'");
  keywords.requireAllKnown();
  if (!spec.isTraining && !(spec.loss + spec.optimizer.name).empty())
    keywords.refuse("a loss and an optimizer belong to .training");
  if (spec.scalesGradients && spec.optimizer.name.empty()) keywords.refuse("'grad_scaler' needs an optimizer");
  size_t bounded = 0;
  for (const ir::Argument& argument : sample.args) {
    const auto* type = argument.as<ir::TensorType>();
    if (type == nullptr) keywords.refuse("its arguments are tensors");
    ProgramInput& input = spec.inputs.emplace_back();
    input.dtype = inputs::scalarType(type->dtype);
    for (const int64_t extent : type->sizes) input.dimensions.push_back({extent, -1, extent, extent});
    const bool hasBound = at::isIntegralType(input.dtype, /*includeBool=*/false) && bounded < bounds.size();
    if (!hasBound) continue;
    if (!least.empty()) input.least = least[bounded];
    input.bound = bounds[bounded++];
  }
  if (bounded < bounds.size()) keywords.refuse("'bounds' are those of inputs of integers, of which it has {}", bounded);
  return spec;
}

std::vector<std::vector<int64_t>> ModelSpec::sizes() const {
  std::vector<std::vector<int64_t>> all;
  for (const ProgramInput& input : inputs) all.push_back(input.sizes());
  return all;
}

}  // namespace runtime
