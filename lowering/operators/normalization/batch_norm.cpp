// Normalisation of channels, over all samples.
#include "lowering/operators/normalization/normalization.h"

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

/// A running statistic moved towards that of the batch.
Tensor moved(const Tensor& running, const Tensor& batch, double momentum) {
  return map([momentum](Value r, Value b) { return r * (1 - momentum) + b * momentum; }, running, batch);
}

/// Statistics of the batch, handed out and, where running ones are given, moving these; the variance is then the unbiased one.
Tensors train(Context& c, const Channels& k) {
  const Moments m = momentsAroundElement(c, k.x, k.others);
  const Tensor variance = dividedBy(m.squares, k.count());
  const Tensor scale = inverseDeviation(variance, c.number("eps"));
  const Tensor normal = affine(centered(k.x, m.mean, scale), k.argument(c, "weight"), k.argument(c, "bias"));
  Tensors outputs{normal, squeeze(c, m.mean, k.others), squeeze(c, scale, k.others)};
  if (!c.isNone("running_mean")) {
    const double momentum = c.number("momentum");
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

Tensors evaluate(Context& c, const Channels& k) {
  const Tensor mean = *k.argument(c, "running_mean");
  const Tensor scale = inverseDeviation(*k.argument(c, "running_var"), c.number("eps"));
  const Tensor normal = affine(centered(k.x, mean, scale), k.argument(c, "weight"), k.argument(c, "bias"));
  return asOutputs(c, {normal, saved(c, mean, 1, k), saved(c, scale, 2, k)});
}

Tensors batchNorm(Context& c) { return c.flag("training") ? train(c, Channels(c)) : evaluate(c, Channels(c)); }

Tensors batchNormBackward(Context& c) {
  const Channels k(c);
  const bool isTraining = c.flag("train");
  const Tensor grad = cast(c.tensor("grad_out"), k.x.dtype);
  const Tensor mean = *k.argument(c, isTraining ? "save_mean" : "running_mean");
  const Tensor deviation = isTraining ? *k.argument(c, "save_invstd")  //
                                      : inverseDeviation(*k.argument(c, "running_var"), c.number("eps"));
  const Tensor normal = centered(k.x, mean, deviation);
  const Tensor total = sum(c, grad, k.others), along = sum(c, product(grad, normal), k.others);
  const Tensor scale = affine(deviation, k.argument(c, "weight"), {});
  const Tensor input = isTraining
                           ? centeredGradient(grad, normal, scale, dividedBy(total, k.count()), dividedBy(along, k.count()))
                           : product(grad, scale);
  return wanted(c, {input, squeeze(c, along, k.others), squeeze(c, total, k.others)});
}

const Lowering nativeBatchNorm{"aten::native_batch_norm", batchNorm};
const Lowering nativeBatchNormBackward{"aten::native_batch_norm_backward", batchNormBackward};

}  // namespace
}  // namespace lowering
