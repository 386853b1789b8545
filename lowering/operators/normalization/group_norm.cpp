// Normalisation of groups of channels, each of one sample.
#include "lowering/operators/normalization/normalization.h"

namespace lowering {
namespace {

/// A tensor [N, C, ...] as [N, groups, C / groups, ...].
Tensor inGroups(const Tensor& x, int64_t groups) {
  ir::Shape sizes = x.sizes;
  sizes[1] /= groups;
  sizes.insert(sizes.begin() + 1, groups);
  return {x.dtype, sizes, [x, members = sizes[2]](Index index) {
            const Value channel = index[1] * members + index[2];
            index.erase(index.begin() + 1);
            index[1] = channel;
            return x.at(index);
          }};
}

/// What a group has once, [N, groups], as [N, groups, 1, 1...] of `rank`.
Tensor ofGroups(const Tensor& tensor, std::size_t rank) {
  ir::Shape sizes = tensor.sizes;
  sizes.resize(rank, 1);
  return {tensor.dtype, sizes, [tensor](const Index& index) { return tensor.at({index[0], index[1]}); }};
}

/// What a group has once, [N, groups, 1, 1...], as what its channels have: [N, C, 1...].
Tensor ofChannels(const Tensor& tensor, int64_t channels) {
  const int64_t groups = tensor.sizes[1];
  ir::Shape sizes = tensor.sizes;
  sizes.erase(sizes.begin() + 1);
  sizes[1] = channels;
  return {tensor.dtype, sizes, [tensor, groups, members = channels / groups](Index index) {
            const Value none = index[1].like(0);
            index.insert(index.begin() + 1, simplified(floorDiv(index[1], members)));
            index[2] = none;
            return tensor.at(index);
          }};
}

/// The input in groups, whose elements lie along the dimensions `inner`.
struct Grouped {
  explicit Grouped(const Context& c)
      : x(inOpmath(c.tensor("input"))), groups(c.integer("group")), rank(x.sizes.size()), channels(x.sizes[1]) {
    for (std::size_t d = 2; d <= rank; ++d) inner.push_back(static_cast<int64_t>(d));
  }
  Tensor x;
  int64_t groups;
  std::size_t rank;
  int64_t channels;
  Dims inner;
};

Tensors groupNorm(Context& c) {
  const Grouped g(c);
  const Tensor x = inGroups(g.x, g.groups);
  const Moments m = moments(c, inGroups(c.tensor("input"), g.groups), g.inner);
  const int64_t n = countOf(x, g.inner);
  const Tensor scale = inverseDeviation(dividedBy(m.squares, n), c.number("eps"));
  const Tensor normal = centered(g.x, ofChannels(m.mean, g.channels), ofChannels(scale, g.channels));
  const auto weight = perChannel(c, "weight", g.rank, x.dtype), bias = perChannel(c, "bias", g.rank, x.dtype);
  return asOutputs(c, {affine(normal, weight, bias), squeeze(c, m.mean, g.inner), squeeze(c, scale, g.inner)});
}

Tensors groupNormBackward(Context& c) {
  const Grouped g(c);
  const Tensor grad = cast(c.tensor("grad_out"), g.x.dtype);
  const Tensor center = ofGroups(cast(c.tensor("mean"), g.x.dtype), g.rank + 1);
  const Tensor scale = ofGroups(cast(c.tensor("rstd"), g.x.dtype), g.rank + 1);
  const auto weight = perChannel(c, "weight", g.rank, g.x.dtype);
  const auto spread = [&](const Tensor& tensor) { return ofChannels(tensor, g.channels); };
  const Tensor normal = centeredAgain(g.x, spread(center), spread(scale));

  // The sums of each sample's channels, of which the sums of groups and of channels are made.
  Dims inChannel = everyDim(g.x);
  inChannel.erase(inChannel.begin(), inChannel.begin() + 2);
  const Tensor total = sum(c, grad, inChannel), along = sum(c, product(grad, normal), inChannel);
  const int64_t n = countOf(inGroups(g.x, g.groups), g.inner);
  const auto ofGroup = [&](const Tensor& sums) {
    return spread(sum(c, dividedBy(inGroups(affine(sums, weight, {}), g.groups), n), g.inner));
  };
  const auto ofChannel = [&](const Tensor& sums) { return squeeze(c, sum(c, sums, {0}), allBut(1, g.x)); };
  return wanted(c, {centeredGradient(affine(grad, weight, {}), normal, spread(scale), ofGroup(total), ofGroup(along)),
                    ofChannel(along), ofChannel(total)});
}

const Lowering nativeGroupNorm{"aten::native_group_norm", groupNorm};
const Lowering nativeGroupNormBackward{"aten::native_group_norm_backward", groupNormBackward};

}  // namespace
}  // namespace lowering
