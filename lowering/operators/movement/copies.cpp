// Copies of whole tensors, and of several joined in one.
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

Tensors same(Context& c) { return {c.tensor("self")}; }
const Lowering cloneOf{"aten::clone", same};
const Lowering liftFreshCopyOf{"aten::lift_fresh_copy", same};
const Lowering aliasCopyOf{"aten::alias_copy", same};
const Lowering detachCopyOf{"aten::detach_copy", same};
const Lowering copyOf{"aten::copy", [](Context& c) {
                        const Tensor self = c.tensor("self");
                        return Tensors{cast(expand(c.tensor("src"), self.sizes), self.dtype)};
                      }};

/// Tensors one after another along a dimension, in which only their extents may differ.
Tensor joined(const Tensors& tensors, std::size_t dim) {
  ir::Shape sizes = tensors.front().sizes;
  sizes[dim] = 0;
  for (const Tensor& tensor : tensors) sizes[dim] += tensor.sizes[dim];
  return lazy(tensors.front().dtype, sizes, [tensors, dim](const Index& index) {
    Index place = index;
    Value value = tensors.front().at(place);
    int64_t start = tensors.front().sizes[dim];
    if (tensors.size() > 1) value = readWhere(index[dim] < start, value, value.like(0));
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      const int64_t end = start + tensors[i].sizes[dim];
      place[dim] = index[dim] - start;
      value = readWhere((index[dim] >= start) & (index[dim] < end), tensors[i].at(place), value);
      start = end;
    }
    return value;
  });
}

/// A tensor of one dimension without elements is left out, whatever the others' sizes are.
Tensors catOf(Context& c) {
  const ir::TensorType& type = c.outputType();
  const auto dim = static_cast<std::size_t>(c.dim("dim", type.sizes.size()));
  Tensors tensors;
  for (const Tensor& tensor : c.tensors("tensors"))
    if (tensor.sizes.size() == type.sizes.size() && tensor.sizes[dim] > 0) tensors.push_back(cast(tensor, type.dtype));
  if (tensors.empty()) return {zeros(c)};
  return {joined(tensors, dim)};
}

Tensors stackOf(Context& c) {
  const ir::TensorType& type = c.outputType();
  const auto dim = static_cast<std::size_t>(c.dim("dim", type.sizes.size()));
  Tensors tensors;
  for (const Tensor& tensor : c.tensors("tensors")) tensors.push_back(cast(unsqueezed(tensor, dim), type.dtype));
  return {joined(tensors, dim)};
}

const Lowering cat{"aten::cat", catOf};
const Lowering stack{"aten::stack", stackOf};

}  // namespace
}  // namespace lowering
