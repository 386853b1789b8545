// The negative log likelihood of samples and of the pixels of images, and its gradient.
#include <limits>

#include "lowering/operators/reduction/loss.h"

namespace lowering {
namespace {

using ir::DType;

/// The samples of a negative log likelihood: which class each is of, whether it counts, and what it weighs.
struct Samples {
  explicit Samples(Context& c)
      : scores(inOpmath(c.tensor("self"))),
        target(cast(c.tensor("target"), DType::I64)),
        weight(c.optionalTensor("weight")),
        sizes(scores.sizes),
        ignored(c.integer("ignore_index")),
        dim(scores.sizes.size() == 1 ? 0 : 1),
        classes(scores.sizes[static_cast<std::size_t>(dim)]) {
    sizes.erase(sizes.begin() + dim);
  }

  Value isCounted(const Index& sample) const { return target.at(sample) != ignored; }
  /// By the weight of a class, if classes have one.
  Value weighted(Value x, Value label) const { return weight ? x * cast(weight->at({label}), scores.dtype) : x; }
  /// The class, of a sample that counts; of any other a place that can be read.
  Value readable(const Index& sample) const { return min(max(target.at(sample), 0), classes - 1); }

  /// The class of a sample that counts, and of any other none, in as few bits as classes take.
  Value label(const Index& sample) const { return asLabel(where(isCounted(sample), target.at(sample), -1)); }
  Value asLabel(Value place) const {
    return cast(place, classes <= std::numeric_limits<int32_t>::max() ? DType::I32 : DType::I64);
  }

  Tensor weights() const {
    return lazy(scores.dtype, sizes, [s = *this](const Index& sample) {
      const Value label = s.readable(sample);
      const Value one{label.pool(), label.pool().constant(s.scores.dtype, 1)};
      return where(s.isCounted(sample), s.weighted(one, label), 0.0);
    });
  }
  Tensor losses() const {
    return lazy(scores.dtype, sizes, [s = *this](const Index& sample) {
      const Value label = s.readable(sample);
      Index index = sample;
      index.insert(index.begin() + s.dim, label);
      return where(s.isCounted(sample), s.weighted(-s.scores.at(index), label), 0.0);
    });
  }

  Tensor scores, target;
  std::optional<Tensor> weight;
  ir::Shape sizes;
  int64_t ignored;
  std::ptrdiff_t dim;  ///< of the classes
  int64_t classes;
};

Tensors nllLossForward(Context& c) {
  const Samples samples(c);
  const Tensor losses = samples.losses();
  const Dims all = everyDim(losses);
  const Tensor weight = squeeze(c, sum(c, samples.weights(), all), all), loss = squeeze(c, sum(c, losses, all), all);
  switch (reductionOf(c)) {
    case Over::None: {
      if (losses.sizes.empty()) return asOutputs(c, {loss, weight});
      return asOutputs(c, {losses, map([](Value w) { return w.like(0); }, weight)});  // as ATen has it
    }
    case Over::Mean: return asOutputs(c, {map([](Value l, Value w) { return l / w; }, loss, weight), weight});
    case Over::Sum: return asOutputs(c, {loss, weight});
  }
  return {};
}

Tensors nllLossBackward(Context& c) {
  const Samples samples(c);
  Tensor grad = inOpmath(c.tensor("grad_output"));
  if (reductionOf(c) == Over::Mean) {
    grad = map([](Value g, Value total) { return g / total; }, grad, inOpmath(c.tensor("total_weight")));
  }
  const Tensor each = expand(grad, samples.sizes);
  return asOutputs(c, {lazy(samples.scores.dtype, samples.scores.sizes, [samples, each](const Index& index) {
                     Index sample = index;
                     sample.erase(sample.begin() + samples.dim);
                     const Value label = index[static_cast<std::size_t>(samples.dim)];
                     const Value isTarget = samples.asLabel(label) == samples.label(sample);
                     return where(isTarget, samples.weighted(-each.at(sample), label), 0.0);
                   })});
}

const Lowering nllLossForwardOf{"aten::nll_loss_forward", nllLossForward};
const Lowering nllLossBackwardOf{"aten::nll_loss_backward", nllLossBackward};
const Lowering nllLoss2dForwardOf{"aten::nll_loss2d_forward", nllLossForward};
const Lowering nllLoss2dBackwardOf{"aten::nll_loss2d_backward", nllLossBackward};

}  // namespace
}  // namespace lowering
