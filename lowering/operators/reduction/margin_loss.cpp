// Margin losses, which compare the scores of classes with the scores of the right ones, and their gradients.
#include "lowering/operators/reduction/loss.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

using ir::DType;

/// Scores or classes by sample and class; a call of one sample has no dimension of samples.
Tensor asBatch(const Context& c, const Tensor& tensor) {
  const ir::Shape& sizes = tensor.sizes;
  return sizes.size() == 2 ? tensor : reshaped(c.pool(), tensor, {1, numelOf(sizes)});
}
/// The gradient of each sample's loss.
Tensor gradientOfLosses(const Context& c, int64_t samples, DType dtype) {
  const Tensor grad = cast(c.tensor("grad_output"), dtype);
  const Tensor each = expand(grad.sizes.size() < 2 ? grad : reshaped(c.pool(), grad, {numelOf(grad.sizes)}), {samples});
  return unsqueezed(dividedBy(each, 1 / shareOfLoss(c, samples)), 1);
}
/// The losses of samples, reduced, of the parts that each class has in them.
Tensors reducedLosses(Context& c, const Tensor& parts) {
  const bool areKept = reductionOf(c) == Over::None;
  const Dims dims = areKept ? Dims{1} : Dims{0, 1};
  const Tensor total = squeeze(c, sum(c, parts, dims), dims);
  const Tensor reduced = dividedBy(total, 1 / shareOfLoss(c, parts.sizes[0]));
  return asOutputs(c, {reshaped(c.pool(), reduced, c.outputType().sizes)});
}

// ---------------------------------------------------------------------------------------------------------------------
// One right class for each sample.

struct Margins {
  explicit Margins(Context& c)
      : scores(asBatch(c, inOpmath(c.tensor("self")))),
        target(reshaped(c.pool(), c.tensor("target"), {scores.sizes[0]})),
        weight(c.optionalTensor("weight")),
        margin(c.number("margin")),
        isSquared(c.number("p") == 2) {
    // A row that is held is read at its own places alone.
    const auto ofLabel = [k = *this](const Index& at) { return where(at[1] == k.label(at), k.scores.at(at), 0.0); };
    right = sum(c, lazy(scores.dtype, scores.sizes, ofLabel), {1});
  }

  Value label(const Index& at) const { return placeOf(target.at({at[0]}), scores.sizes[1]).at; }
  /// How far the score of a wrong class is within the margin of the right one's.
  Value excess(const Index& at) const { return margin - right.at({at[0], at[1].like(0)}) + scores.at(at); }
  /// What counts of a number that a wrong class has within the margin, and else 0.
  Value counted(const Index& at, Value number) const {
    const Value scaled = (weight ? number * cast(weight->at({label(at)}), number.dtype()) : number) / scores.sizes[1];
    return where((at[1] != label(at)) & (excess(at) > 0.0), scaled, 0.0);
  }
  Tensor scores, target, right;
  std::optional<Tensor> weight;
  double margin;
  bool isSquared;
};

Tensors multiMarginLoss(Context& c) {
  const Margins k(c);
  const Tensor parts = lazy(k.scores.dtype, k.scores.sizes, [k](const Index& at) {
    const Value excess = k.excess(at);
    return k.counted(at, k.isSquared ? excess * excess : excess);
  });
  return reducedLosses(c, parts);
}
Tensors multiMarginLossBackward(Context& c) {
  const Margins k(c);
  const Tensor slopes = lazy(k.scores.dtype, k.scores.sizes, [k](const Index& at) {
    const Value excess = k.excess(at);
    return k.counted(at, k.isSquared ? 2.0 * excess : excess.like(1));
  });
  const Tensor total = sum(c, slopes, {1}), grad = gradientOfLosses(c, k.scores.sizes[0], k.scores.dtype);
  const Tensor result = lazy(k.scores.dtype, k.scores.sizes, [=](const Index& at) {
    const Index sample{at[0], at[1].like(0)};
    return where(at[1] == k.label(at), -total.at(sample), slopes.at(at)) * grad.at(sample);
  });
  return asOutputs(c, {reshaped(c.pool(), result, c.outputType().sizes)});
}
const Lowering multiMarginLossOf{"aten::multi_margin_loss", multiMarginLoss};
const Lowering multiMarginLossBackwardOf{"aten::multi_margin_loss_backward", multiMarginLossBackward};

// ---------------------------------------------------------------------------------------------------------------------
// Several right classes for each sample: all that come before the first negative number.

struct Labels {
  explicit Labels(Context& c)
      : scores(asBatch(c, inOpmath(c.tensor("self")))), target(asBatch(c, cast(c.tensor("target"), DType::I64))) {
    const auto places = [target = target](const Index& at) { return where(target.at(at) < 0, at[1], target.sizes[1]); };
    count = amin(c, lazy(DType::I64, target.sizes, places), {1});
  }

  int64_t classes() const { return scores.sizes[1]; }
  /// Whether there is a right class of this number, and which it is.
  Place label(Value sample, Value number) const {
    return {placeOf(target.at({sample, number}), classes()).at, number < count.at({sample, number.like(0)})};
  }
  /// How far the score of a class is within 1 of another's.
  Value excess(Value sample, Value right, Value wrong) const {
    return 1.0 - scores.at({sample, right}) + scores.at({sample, wrong});
  }
  /// How often a class is among the right ones.
  Tensor frequencies(Context& c) const {
    const auto isLabel = [k = *this](const Index& at) {
      const Place label = k.label(at[0], at[2]);
      return cast(*label.exists & (label.at == at[1]), k.scores.dtype);
    };
    return squeeze(c, sum(c, lazy(scores.dtype, {scores.sizes[0], classes(), classes()}, isLabel), {2}), {2});
  }
  Tensor scores, target, count;
};

/// The losses, and which classes are right ones.
Tensors multilabelMarginLoss(Context& c) {
  const Labels k(c);
  const Tensor isRight = k.frequencies(c);
  const int64_t classes = k.classes();
  const Tensor excesses = lazy(k.scores.dtype, {k.scores.sizes[0], classes, classes}, [k](const Index& at) {
    const Place label = k.label(at[0], at[2]);
    const Value excess = k.excess(at[0], label.at, at[1]);
    return where(*label.exists & (excess > 0.0), excess, 0.0);
  });
  const auto counted = [classes](Value excess, Value times) { return where(times == 0.0, excess, 0.0) / classes; };
  const Tensor parts = map(counted, squeeze(c, sum(c, excesses, {2}), {2}), isRight);
  Tensors outputs = reducedLosses(c, parts);
  const Tensor flags = map([](Value times) { return min(times, 1.0); }, isRight);
  outputs.push_back(cast(reshaped(c.pool(), flags, c.outputType(1).sizes), c.outputType(1).dtype));
  return outputs;
}

/// A wrong class gets a share for each right one that it is too near to, and a right one loses as much.
Tensors multilabelMarginLossBackward(Context& c) {
  const Labels k(c);
  const int64_t classes = k.classes();
  const DType dtype = k.scores.dtype;
  const ir::Shape pairs{k.scores.sizes[0], classes, classes};
  const Tensor isRight = asBatch(c, cast(c.tensor("is_target"), dtype));
  const auto isNear = [k](Value sample, Value right, Value wrong) { return k.excess(sample, right, wrong) > 0.0; };
  const Tensor gains = lazy(dtype, pairs, [=](const Index& at) {
    const Place label = k.label(at[0], at[2]);
    return cast(*label.exists & isNear(at[0], label.at, at[1]), dtype);
  });
  const Tensor losses = lazy(dtype, pairs, [=](const Index& at) {
    return cast((isRight.at({at[0], at[2]}) == 0.0) & isNear(at[0], at[1], at[2]), dtype);
  });
  const Tensor gain = squeeze(c, sum(c, gains, {2}), {2}), loss = squeeze(c, sum(c, losses, {2}), {2});
  const auto gradient = [classes](Value gain, Value loss, Value right, Value times, Value grad) {
    return (where(right == 0.0, gain, 0.0) - times * loss) / classes * grad;
  };
  const Tensor result = map(gradient, gain, loss, isRight, k.frequencies(c), gradientOfLosses(c, k.scores.sizes[0], dtype));
  return asOutputs(c, {reshaped(c.pool(), result, c.outputType().sizes)});
}
const Lowering multilabelMarginLossForwardOf{"aten::multilabel_margin_loss_forward", multilabelMarginLoss};
const Lowering multilabelMarginLossBackwardOf{"aten::multilabel_margin_loss_backward", multilabelMarginLossBackward};

}  // namespace
}  // namespace lowering
