// Gradients of bags, which are sums of rows of a weight that index tensors name; segments, which are bags of neighbours.
#include <cmath>

#include "ir/error.h"
#include "lowering/operators/indexing/bisection.h"
#include "lowering/tensor/places.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

enum Mode { Sum, Mean, Max };

/// The bag of each index, which a host leaves to be found by the places where bags begin.
Tensor bagsOf(const Context& c, const Tensor& indices) {
  const Tensor bags = c.tensor("offset2bag");
  if (bags.sizes == indices.sizes) return bags;
  const Tensor begins = c.tensor("offsets");
  return c.stored(lazy(ir::DType::I64, indices.sizes, [=](const Index& index) { return countUpTo(begins, index.front()) - 1; }));
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
    const bool skipsEmpty = c.followsHost();  // on CUDA -1 alone says that a bag has no row, its size does not
    const auto value = [=](const Index& at) {
      const Value isRow = maxima.at(at) != padding;
      return where(skipsEmpty ? isRow & (sizes.at({at.front()}) != 0) : isRow, grad.at(at), 0.0);
    };
    return {scatteredTo(c, ir::Op::Add, zeros(c), grad.sizes, element, value)};
  }
  const Tensor indices = c.tensor("indices"), bags = bagsOf(c, indices);
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
  return {scatteredTo(c, ir::Op::Add, zeros(c), {indices.sizes[0], grad.sizes[1]}, element, value)};
}

/// A weight's gradient is the product of its row and the gradient of its bag.
Tensors perSampleWeightsBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad")), weight = inOpmath(c.tensor("weight"));
  const Tensor indices = c.tensor("indices"), bags = bagsOf(c, indices);
  const int64_t padding = c.integer("padding_idx");
  const Tensor products = lazy(grad.dtype, {indices.sizes[0], grad.sizes[1]}, [=](const Index& at) {
    const Value bag = placeOf(bags.at({at.front()}), grad.sizes[0]).at;
    const Value row = placeOf(indices.at({at.front()}), weight.sizes[0]).at;
    return grad.at({bag, at.back()}) * weight.at({row, at.back()});
  });
  const Tensor total = squeeze(c, sum(c, products, {1}), {1});
  return asOutputs(c, {map([padding](Value sum, Value index) { return where(index != padding, sum, 0.0); }, total, indices)});
}

// ---------------------------------------------------------------------------------------------------------------------
// Segments: bags of neighbouring slices, along the first dimension.

/// How many slices the segments up to each have together.
Tensor endsOf(Context& c) {
  if (!c.isNone("offsets")) {
    const Tensor offsets = c.tensor("offsets");
    return lazy(ir::DType::I64, {offsets.sizes[0] - 1},
                [offsets](const Index& index) { return cast(offsets.at({index[0] + 1}), ir::DType::I64); });
  }
  return c.stored(scan(c, ir::Op::Add, cast(c.tensor("lengths"), ir::DType::I64), 0));
}

Tensors segmentReduce(Context& c) {
  const std::string name = c.text("reduce");
  const Tensor lengths = c.tensor(c.isNone("offsets") ? "lengths" : "offsets"), data = inOpmath(c.tensor("data"));
  if (lengths.sizes.size() != 1 || c.integer("axis") != 0)
    ir::fail(ir::ErrorKind::Unsupported, "segments along other dimensions than the first one are not lowered");
  const ir::Op op = name == "max" ? ir::Op::Max : name == "min" ? ir::Op::Min : name == "prod" ? ir::Op::Mul : ir::Op::Add;
  const ir::TensorType type = ir::TensorType::contiguous(data.dtype, c.outputType().sizes);
  const Value identity{c.pool(), c.pool().identity(op, data.dtype)};
  const Tensor start = constant(type, c.isNone("initial") ? identity : c.constant("initial", data.dtype));
  if (numelOf(type.sizes) == 0) return asOutputs(c, {start});
  const Tensor ends = endsOf(c);
  const auto element = [=](const Index& index) {
    const Place segment = placeOf(countUpTo(ends, index[0]), type.sizes[0]);
    Element found{index, segment.exists};
    found.index[0] = segment.at;
    return found;
  };
  const Tensor combined = c.stored(scatteredTo(c, op, start, data.sizes, element, data.at));
  if (name != "mean") return asOutputs(c, {combined});
  const bool isNoneNan = c.isNone("initial");
  return asOutputs(c, {lazy(data.dtype, type.sizes, [=](const Index& index) {
                     const Value before = where(index[0] > 0, ends.at({max(index[0] - 1, 0)}), index[0].like(0));
                     const Value length = ends.at({index[0]}) - before, sum = combined.at(index);
                     const Value mean = sum / cast(max(length, 1), sum.dtype());
                     return isNoneNan ? where(length == 0, NAN, mean) : mean;
                   })});
}
const Lowering segmentReduceOf{"aten::segment_reduce", segmentReduce};

const Lowering backwardOf{"aten::_embedding_bag_backward", denseBackward};
const Lowering denseBackwardOf{"aten::_embedding_bag_dense_backward", denseBackward};
const Lowering perSampleWeightsBackwardOf{"aten::_embedding_bag_per_sample_weights_backward", perSampleWeightsBackward};

}  // namespace
}  // namespace lowering
