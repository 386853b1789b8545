// Normalisation of channels, over all samples.
#include <algorithm>

#include "ir/error.h"
#include "lowering/operators/normalization/normalization.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

/// What is to be normalised, and the dimensions of which a channel consists.
struct Channels {
  explicit Channels(const Context& c) : x(inOpmath(c.tensor("input"))), others(allBut(1, x)) {}
  /// An argument that each channel has once.
  std::optional<Tensor> argument(const Context& c, const std::string& name) const {
    return perChannel(c, name, x.sizes.size(), x.dtype);
  }
  int64_t count() const { return countOf(x, others); }
  Tensor x;
  Dims others;
};

/// A running statistic moved towards the batch's.
Tensor moved(const Tensor& running, const Tensor& batch, double momentum) {
  return map([momentum](Value r, Value b) { return r * (1 - momentum) + b * momentum; }, running, batch);
}

/// Statistics of the batch, handed out and, where running ones are given, moving these; the variance is then the unbiased one.
/// `more` are outputs that follow the statistics.
Tensors train(Context& c, const Channels& k, double momentum, double eps, const Tensors& more) {
  const Moments m = momentsAroundElement(c, k.x, k.others);
  const Tensor variance = dividedBy(m.squares, k.count());
  const Tensor scale = inverseDeviation(variance, eps);
  const Tensor normal = affine(centered(k.x, m.mean, scale), k.argument(c, "weight"), k.argument(c, "bias"));
  Tensors outputs{normal, squeeze(c, m.mean, k.others), squeeze(c, scale, k.others)};
  outputs.insert(outputs.end(), more.begin(), more.end());
  if (c.has("running_mean") && !c.isNone("running_mean")) {
    const Tensor unbiased = dividedBy(m.squares, k.count() - 1);
    outputs.push_back(squeeze(c, moved(*k.argument(c, "running_mean"), m.mean, momentum), k.others));
    outputs.push_back(squeeze(c, moved(*k.argument(c, "running_var"), unbiased, momentum), k.others));
  }
  return asOutputs(c, outputs);
}

/// What eager returns as a statistic that was not made of the batch: a copy on CUDA, nothing on the CPU.
Tensor saved(Context& c, const Tensor& statistic, int output, const Channels& k) {
  Tensor tensor = squeeze(c, statistic, k.others);
  if (c.outputType(output).numel() == 0) tensor.sizes = c.outputType(output).sizes;
  return tensor;
}

Tensors evaluate(Context& c, const Channels& k, double eps, const Tensors& more) {
  const Tensor mean = *k.argument(c, "running_mean");
  const Tensor scale = inverseDeviation(*k.argument(c, "running_var"), eps);
  const Tensor normal = affine(centered(k.x, mean, scale), k.argument(c, "weight"), k.argument(c, "bias"));
  Tensors outputs{normal, saved(c, mean, 1, k), saved(c, scale, 2, k)};
  outputs.insert(outputs.end(), more.begin(), more.end());
  return asOutputs(c, outputs);
}

Tensors channelNorm(Context& c, double momentum, double eps, const Tensors& more = {}) {
  const Channels k(c);
  return c.flag("training") ? train(c, k, momentum, eps, more) : evaluate(c, k, eps, more);
}

Tensors batchNorm(Context& c) { return channelNorm(c, c.number("momentum"), c.number("eps")); }

/// Running statistics are written in evaluation as well: they stay.
Tensors batchNormLegit(Context& c) {
  Tensors outputs = batchNorm(c);
  if (c.flag("training") || !c.has("running_mean")) return outputs;
  outputs.insert(outputs.end(), {c.tensor("running_mean"), c.tensor("running_var")});
  return outputs;
}

/// What cuDNN keeps for itself is empty, but for forms that ATen does not ask for.
void checkReserve(const ir::TensorType& reserve) {
  if (reserve.numel() > 0) ir::fail(ir::ErrorKind::Unsupported, "cuDNN's reserve space has a meaning of its own");
}

Tensor noReserve(Context& c) {
  constexpr int reserve = 3;
  checkReserve(c.outputType(reserve));
  return constant(c.outputType(reserve), {c.pool(), c.pool().integer(c.outputType(reserve).dtype, 0)});
}
Tensors cudnnBatchNorm(Context& c) {
  return channelNorm(c, c.number("exponential_average_factor"), c.number("epsilon"), {noReserve(c)});
}
Tensors batchNormWithUpdate(Context& c) { return train(c, Channels(c), c.number("momentum"), c.number("eps"), {noReserve(c)}); }

/// The sum of a channel's numbers, which ATen adds in double on a CPU where the input is no half.
Tensor summed(Context& c, const Tensor& tensor, const Dims& dims) {
  if (!c.followsHost() || ir::isLowPrecision(c.tensor("input").dtype)) return sum(c, tensor, dims);
  return cast(sum(c, cast(tensor, ir::DType::F64), dims), tensor.dtype);
}

/// The gradients of input, weight and bias; the gradients of statistics count where these were made of the batch.
Tensors channelGradients(Context& c, const Channels& k, const Tensor& grad, const Tensor& mean, const Tensor& deviation,
                         bool isTraining) {
  const Tensor normal = centeredAgain(k.x, mean, deviation);
  const Tensor total = summed(c, grad, k.others), along = summed(c, product(grad, normal), k.others);
  const Tensor scale = affine(deviation, k.argument(c, "weight"), {});
  const Tensor input = isTraining
                           ? centeredGradient(grad, normal, scale, dividedBy(total, k.count()), dividedBy(along, k.count()))
                           : product(grad, scale);
  return {input, squeeze(c, along, k.others), squeeze(c, total, k.others)};
}

/// The gradients that `output_mask` asks for. CUDA's kernels for channels last ignore it: weight and bias then have theirs both
/// or neither.
Tensors existing(const Context& c, const Tensors& gradients) {
  std::vector<bool> mask = c.flags("output_mask");
  if (std::count(mask.begin(), mask.end(), true) != c.outputCount()) mask[1] = mask[2] = c.outputCount() > 1;
  return asOutputs(c, wanted(mask, gradients));
}

/// `variance` names what was saved of the batch.
Tensors batchNormBackward(Context& c, const char* isOfBatch, const char* variance) {
  const Channels k(c);
  const bool isTraining = c.flag(isOfBatch);
  const Tensor grad = cast(c.tensor("grad_out"), k.x.dtype);
  const Tensor mean = *k.argument(c, isTraining ? "save_mean" : "running_mean");
  const Tensor deviation = isTraining ? *k.argument(c, variance)  //
                                      : inverseDeviation(*k.argument(c, "running_var"), c.number("eps"));
  return existing(c, channelGradients(c, k, grad, mean, deviation, isTraining));
}

Tensors cudnnBatchNormBackward(Context& c) {
  checkReserve(c.typeOf("reserveSpace"));
  const Channels k(c);
  const Tensor grad = cast(c.tensor("grad_output"), k.x.dtype);
  return asOutputs(c, channelGradients(c, k, grad, *k.argument(c, "save_mean"), *k.argument(c, "save_var"), /*isTraining=*/true));
}

const Lowering nativeBatchNorm{"aten::native_batch_norm", batchNorm};
const Lowering nativeBatchNormLegit{"aten::_native_batch_norm_legit", batchNormLegit};
const Lowering batchNormWithUpdateOf{"aten::_batch_norm_with_update", batchNormWithUpdate};
const Lowering nativeBatchNormBackward{"aten::native_batch_norm_backward",
                                       [](Context& c) { return batchNormBackward(c, "train", "save_invstd"); }};
const Lowering batchNormBackwardOf{"aten::batch_norm_backward", [](Context& c) {
                                     checkReserve(c.typeOf("reserve"));
                                     return batchNormBackward(c, "update", "save_var");
                                   }};
const Lowering cudnnBatchNormOf{"aten::cudnn_batch_norm", cudnnBatchNorm};
const Lowering cudnnBatchNormBackwardOf{"aten::cudnn_batch_norm_backward", cudnnBatchNormBackward};

}  // namespace
}  // namespace lowering
