// Gradients of bags: sums of rows of a weight that index tensors name.
#include "ir/error.h"
#include "lowering/tensor/places.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

enum Mode { Sum, Mean, Max };

void requireBags(const Tensor& bags, const Tensor& indices) {
  if (bags.sizes != indices.sizes) ir::fail(ir::ErrorKind::Unsupported, "bags of indices that have to be found are not lowered");
}

/// What a row gets for each index that names it. Row `padding_idx` has no gradient.
Tensors denseBackward(Context& c) {
  if (c.has("sparse") && c.flag("sparse")) ir::fail(ir::ErrorKind::Unsupported, "sparse gradients are not lowered");
  if (c.flag("scale_grad_by_freq")) ir::fail(ir::ErrorKind::Unsupported, "gradients by the frequency of rows are not lowered");
  const Tensor grad = c.tensor("grad"), sizes = c.tensor("bag_size");
  const int64_t mode = c.integer("mode"), padding = c.integer("padding_idx"), rows = c.outputType().sizes[0];
  if (mode == Max) {
    const Tensor maxima = c.tensor("maximum_indices");
    const auto element = [=](const Index& at) {
      const Place row = placeOf(maxima.at(at), rows);
      return Element{{row.at, at.back()}, row.exists};
    };
    const bool skipsEmpty = c.backend() == ir::Backend::Cpu;  // on CUDA -1 alone says that a bag has no row, its size does not
    const auto value = [=](const Index& at) {
      const Value isRow = maxima.at(at) != padding;
      return where(skipsEmpty ? isRow & (sizes.at({at.front()}) != 0) : isRow, grad.at(at), 0.0);
    };
    return {scatteredTo(ir::Op::Add, zeros(c), grad.sizes, element, value)};
  }
  const Tensor indices = c.tensor("indices"), bags = c.tensor("offset2bag");
  requireBags(bags, indices);
  const std::optional<Tensor> weights = c.optionalTensor("per_sample_weights");
  const auto element = [=](const Index& at) {
    const Place row = placeOf(indices.at({at.front()}), rows);
    return Element{{row.at, at.back()}, row.exists};
  };
  const auto value = [=, wide = inOpmath(grad)](const Index& at) {
    const Value bag = placeOf(bags.at({at.front()}), grad.sizes[0]).at;
    Value share = wide.at({bag, at.back()});
    if (weights) share = share * cast(weights->at({at.front()}), share.dtype());
    if (mode == Mean) share = share / cast(max(sizes.at({bag}), 1), share.dtype());
    return where(indices.at({at.front()}) != padding, share, 0.0);
  };
  return {scatteredTo(ir::Op::Add, zeros(c), {indices.sizes[0], grad.sizes[1]}, element, value)};
}

/// A weight's gradient is the product of its row and the gradient of its bag.
Tensors perSampleWeightsBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad")), weight = inOpmath(c.tensor("weight"));
  const Tensor indices = c.tensor("indices"), bags = c.tensor("offset2bag");
  requireBags(bags, indices);
  const int64_t padding = c.integer("padding_idx");
  const Tensor products = lazy(grad.dtype, {indices.sizes[0], grad.sizes[1]}, [=](const Index& at) {
    const Value bag = placeOf(bags.at({at.front()}), grad.sizes[0]).at;
    const Value row = placeOf(indices.at({at.front()}), weight.sizes[0]).at;
    return grad.at({bag, at.back()}) * weight.at({row, at.back()});
  });
  const Tensor total = squeeze(c, sum(c, products, {1}), {1});
  return asOutputs(c, {map([padding](Value sum, Value index) { return where(index != padding, sum, 0.0); }, total, indices)});
}

const Lowering backwardOf{"aten::_embedding_bag_backward", denseBackward};
const Lowering denseBackwardOf{"aten::_embedding_bag_dense_backward", denseBackward};
const Lowering perSampleWeightsBackwardOf{"aten::_embedding_bag_per_sample_weights_backward", perSampleWeightsBackward};

}  // namespace
}  // namespace lowering
