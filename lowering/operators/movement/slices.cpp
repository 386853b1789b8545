// Parts of tensors: copies and gradients of them, and wholes in which they are replaced.
#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

/// Every `step`th element along a dimension, as many as there are in `extent`.
struct Slice {
  std::size_t dim;
  int64_t start, step, extent;

  /// Whether a place along the dimension is in it; the number of the element there.
  Value has(Value place) const {
    const Value isBetween = (place >= start) & (place < start + (extent - 1) * step + 1);
    return step == 1 ? isBetween : isBetween & (mod(place - start, step) == 0);
  }
  Value number(Value place) const { return step == 1 ? place - start : floorDiv(place - start, step); }
};

/// The slice of a call with `start`, `end` and `step`, of a dimension with so many elements.
Slice sliceOf(Context& c, const ir::Shape& sizes) {
  const auto dim = static_cast<std::size_t>(c.dim("dim", sizes.size()));
  const auto bound = [&](const char* name, int64_t other) {
    if (c.isNone(name)) return other;
    const int64_t place = c.integer(name);
    return std::clamp<int64_t>(place < 0 ? place + sizes[dim] : place, 0, sizes[dim]);
  };
  const int64_t start = bound("start", 0), step = c.integer("step");
  return {dim, start, step, ceilDiv(std::max<int64_t>(0, bound("end", sizes[dim]) - start), step)};
}

/// `part` where the slice has elements, and else `other`.
Tensor replaced(const Slice& slice, const Tensor& part, const Tensor& other) {
  return lazy(other.dtype, other.sizes, [=](const Index& index) {
    if (slice.extent == 0) return other.at(index);
    Index inside = index;
    inside[slice.dim] = slice.number(index[slice.dim]);
    return readWhere(slice.has(index[slice.dim]), part.at(inside), other.at(index));
  });
}

Slice selected(Context& c, const ir::Shape& sizes) {
  const auto dim = static_cast<std::size_t>(c.dim("dim", sizes.size()));
  const int64_t index = c.integer("index");
  return {dim, index < 0 ? index + sizes[dim] : index, 1, 1};
}

/// The elements of a slice, and without its dimension, which has one.
Tensors copied(const Context& c, const Slice& slice) {
  const Tensor self = c.tensor("self");
  return {lazy(self.dtype, c.outputType().sizes, [=](Index index) {
    index[slice.dim] = index[slice.dim] * slice.step + slice.start;
    return self.at(index);
  })};
}
Tensors copiedWithout(Context& c, const Slice& slice) {
  const Tensor self = c.tensor("self");
  const Value place{c.pool(), c.pool().integer(ir::DType::I64, slice.start)};
  return {lazy(self.dtype, c.outputType().sizes, [=](Index index) {
    index.insert(index.begin() + static_cast<std::ptrdiff_t>(slice.dim), place);
    return self.at(index);
  })};
}

Slice narrowed(Context& c, const ir::Shape& sizes) {
  const auto dim = static_cast<std::size_t>(c.dim("dim", sizes.size()));
  const int64_t start = c.integer("start");
  return {dim, start < 0 ? start + sizes[dim] : start, 1, c.integer("length")};
}

const Lowering sliceCopy{"aten::slice_copy", [](Context& c) { return copied(c, sliceOf(c, c.tensor("self").sizes)); }};
const Lowering narrowCopy{"aten::narrow_copy", [](Context& c) { return copied(c, narrowed(c, c.tensor("self").sizes)); }};
const Lowering selectCopy{"aten::select_copy", [](Context& c) { return copiedWithout(c, selected(c, c.tensor("self").sizes)); }};
/// Each output is the slice behind that before it.
Tensors splitAlong(Context& c, std::size_t dim) {
  const Tensor self = c.tensor("self");
  Tensors parts;
  int64_t start = 0;
  for (int i = 0; i < c.outputCount(); ++i) {
    const ir::Shape& sizes = c.outputType(i).sizes;
    parts.push_back(lazy(self.dtype, sizes, [self, dim, start](Index index) {
      index[dim] = index[dim] + start;
      return self.at(index);
    }));
    start += sizes[dim];
  }
  return parts;
}
Tensors split(Context& c) { return splitAlong(c, static_cast<std::size_t>(c.dim("dim", c.tensor("self").sizes.size()))); }

const Lowering splitCopy{"aten::split_copy", split};
const Lowering splitWithSizesCopy{"aten::split_with_sizes_copy", split};
const Lowering unbindCopy{"aten::unbind_copy", [](Context& c) {
                            const Tensor self = c.tensor("self");
                            const auto dim = static_cast<std::size_t>(c.dim("dim", self.sizes.size()));
                            Tensors parts;
                            for (int i = 0; i < c.outputCount(); ++i) parts.push_back(copiedWithout(c, {dim, i, 1, 1}).front());
                            return parts;
                          }};
const Lowering sliceBackward{"aten::slice_backward", [](Context& c) {
                               const Tensor whole = zeros(c);
                               return Tensors{replaced(sliceOf(c, whole.sizes), c.tensor("grad_output"), whole)};
                             }};
const Lowering sliceScatter{"aten::slice_scatter", [](Context& c) {
                              const Tensor self = c.tensor("self");
                              return Tensors{replaced(sliceOf(c, self.sizes), cast(c.tensor("src"), self.dtype), self)};
                            }};
const Lowering selectBackward{"aten::select_backward", [](Context& c) {
                                const Tensor whole = zeros(c);
                                const Slice slice = selected(c, whole.sizes);
                                return Tensors{replaced(slice, unsqueezed(c.tensor("grad_output"), slice.dim), whole)};
                              }};
const Lowering selectScatter{"aten::select_scatter", [](Context& c) {
                               const Tensor self = c.tensor("self");
                               const Slice slice = selected(c, self.sizes);
                               return Tensors{replaced(slice, unsqueezed(cast(c.tensor("src"), self.dtype), slice.dim), self)};
                             }};

}  // namespace
}  // namespace lowering
