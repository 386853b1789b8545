// Padding with a constant, or with elements of the tensor.
#include <utility>

#include "lowering/tensor/places.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

/// What is added before each dimension, and the sizes then.
struct Padded {
  ir::Shape before, sizes;
};

/// Pairs of extents that are added before and after the dimensions, the last one's first; negative ones cut elements off.
Padded padded(const ir::Shape& sizes, const std::vector<int64_t>& pad) {
  Padded result{ir::Shape(sizes.size(), 0), sizes};
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const std::size_t dim = sizes.size() - 1 - i;
    result.before[dim] = pad[2 * i];
    result.sizes[dim] += pad[2 * i] + pad[2 * i + 1];
  }
  return result;
}

Tensors constantPad(Context& c) {
  const Tensor self = c.tensor("self");
  const auto [before, sizes] = padded(self.sizes, c.integers("pad"));
  const Value other = c.constant("value", self.dtype);
  return {lazy(self.dtype, sizes, [self, other, before = before](const Index& index) {
    Index place;
    Value isInside{other.pool(), other.pool().integer(ir::DType::Bool, 1)};
    for (std::size_t d = 0; d < index.size(); ++d) {
      place.push_back(index[d] - before[d]);
      isInside = isInside & (index[d] >= before[d]) & (index[d] < before[d] + self.sizes[d]);
    }
    return readWhere(isInside, self.at(place), other);
  })};
}

const Lowering constantPadOf{"aten::constant_pad_nd", constantPad};

/// The place along a dimension of `extent` elements that one outside stands for, less than `extent` away: mirrored at the first
/// and the last element.
Value mirrored(Value place, int64_t extent) {
  const Value fromFirst = max(place, -place);
  return (extent - 1) - max((extent - 1) - fromFirst, fromFirst - (extent - 1));
}
/// The same: the first or the last one.
Value clamped(Value place, int64_t extent) { return min(max(place, 0), extent - 1); }

using Inside = Value (*)(Value place, int64_t extent);

template <Inside inside>
Tensors padWithElements(Context& c) {
  const Tensor self = c.tensor("self");
  const auto [before, sizes] = padded(self.sizes, c.integers("padding"));
  return {lazy(self.dtype, sizes, [self, sizes = sizes, before = before](Index index) {
    for (std::size_t d = 0; d < index.size(); ++d)
      if (before[d] != 0 || sizes[d] != self.sizes[d]) index[d] = simplified(inside(index[d] - before[d], self.sizes[d]));
    return self.at(index);
  })};
}

/// The places, along one dimension of the padded tensor, of the copies of an element: itself, and its mirror images at the first
/// and at the last element.
Places mirrorImages(Value place, int64_t extent, int64_t before, int64_t size) {
  const int64_t after = size - before - extent;
  const bool isCut = before < 0 || after < 0;
  const Value own = place + before;
  Places places{{own, isCut ? std::optional((own >= 0) & (own < size)) : std::nullopt}};
  if (before > 0) places.push_back({before - place, (place >= 1) & (place <= before)});
  if (after > 0) places.push_back({(before + 2 * (extent - 1)) - place, (place < extent - 1) & (place >= extent - 1 - after)});
  return places;
}

/// The sum of the gradients of all elements that were copies of one.
Tensors mirroredBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  const ir::TensorType& type = c.outputType();
  const auto [before, sizes] = padded(type.sizes, c.integers("padding"));
  return asOutputs(c,
                   {lazy(grad.dtype, type.sizes, [grad, inner = type.sizes, before = before, sizes = sizes](const Index& index) {
                     std::vector<Places> images;
                     for (std::size_t d = 0; d < index.size(); ++d)
                       images.push_back(mirrorImages(index[d], inner[d], before[d], sizes[d]));
                     return sumOf(grad, elementsAt({}, images));
                   })});
}

/// Any number of elements may be copies of one: each adds its gradient there.
Tensors clampedBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  const ir::TensorType& type = c.outputType();
  const auto before = padded(type.sizes, c.integers("padding")).before;
  const auto element = [type, before](Index index) {
    for (std::size_t d = 0; d < index.size(); ++d) index[d] = simplified(clamped(index[d] - before[d], type.sizes[d]));
    return Element{std::move(index)};
  };
  return {scatteredTo(c, ir::Op::Add, zeros(c), grad.sizes, element, grad.at)};
}

const Lowering reflectionPad1d{"aten::reflection_pad1d", padWithElements<mirrored>};
const Lowering reflectionPad2d{"aten::reflection_pad2d", padWithElements<mirrored>};
const Lowering reflectionPad3d{"aten::reflection_pad3d", padWithElements<mirrored>};
const Lowering replicationPad1d{"aten::replication_pad1d", padWithElements<clamped>};
const Lowering replicationPad2d{"aten::replication_pad2d", padWithElements<clamped>};
const Lowering replicationPad3d{"aten::replication_pad3d", padWithElements<clamped>};
const Lowering reflectionPad1dBackward{"aten::reflection_pad1d_backward", mirroredBackward};
const Lowering reflectionPad2dBackward{"aten::reflection_pad2d_backward", mirroredBackward};
const Lowering reflectionPad3dBackward{"aten::reflection_pad3d_backward", mirroredBackward};
const Lowering replicationPad1dBackward{"aten::replication_pad1d_backward", clampedBackward};
const Lowering replicationPad2dBackward{"aten::replication_pad2d_backward", clampedBackward};
const Lowering replicationPad3dBackward{"aten::replication_pad3d_backward", clampedBackward};

}  // namespace
}  // namespace lowering
