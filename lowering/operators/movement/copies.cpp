// Copies of whole tensors, of several joined in one, and of elements in another order.
#include "lowering/tensor/lowering.h"

namespace lowering {
namespace {

Tensors same(Context& c) { return {c.tensor("self")}; }
const Lowering cloneOf{"aten::clone", same};
const Lowering liftFreshCopyOf{"aten::lift_fresh_copy", same};
const Lowering aliasCopyOf{"aten::alias_copy", same};
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
  if (tensors.empty())
    return {lazy(type.dtype, type.sizes,
                 [&c, dtype = type.dtype](const Index&) { return Value{c.pool(), c.pool().integer(dtype, 0)}; })};
  return {joined(tensors, dim)};
}

Tensors stackOf(Context& c) {
  const ir::TensorType& type = c.outputType();
  const auto dim = static_cast<std::ptrdiff_t>(c.dim("dim", type.sizes.size()));
  Tensors tensors;
  for (const Tensor& tensor : c.tensors("tensors")) {
    ir::Shape sizes = tensor.sizes;
    sizes.insert(sizes.begin() + dim, 1);
    tensors.push_back(cast({tensor.dtype, sizes,
                            [tensor, dim](Index index) {
                              index.erase(index.begin() + dim);
                              return tensor.at(index);
                            }},
                           type.dtype));
  }
  return {joined(tensors, static_cast<std::size_t>(dim))};
}

const Lowering cat{"aten::cat", catOf};
const Lowering stack{"aten::stack", stackOf};

/// The element of `self` at another index for each one.
Tensors reordered(Context& c, const std::function<Index(const Tensor& self, Index index)>& from) {
  const Tensor self = c.tensor("self");
  return {lazy(self.dtype, c.outputType().sizes, [self, from](const Index& index) { return self.at(from(self, index)); })};
}

const Lowering flip{"aten::flip", [](Context& c) {
                      const std::vector<int64_t> wanted = c.integers("dims");
                      const Dims dims = wanted.empty() ? Dims() : c.dims("dims", c.tensor("self").sizes.size());
                      return reordered(c, [dims](const Tensor& self, Index index) {
                        for (const int64_t d : dims) index[d] = (self.sizes[d] - 1) - index[d];
                        return index;
                      });
                    }};

/// Elements whose last dimensions repeat those of `self`.
const Lowering repeat{"aten::repeat", [](Context& c) {
                        return reordered(c, [](const Tensor& self, Index index) {
                          index.erase(index.begin(), index.end() - static_cast<std::ptrdiff_t>(self.sizes.size()));
                          for (std::size_t d = 0; d < index.size(); ++d) index[d] = mod(index[d], self.sizes[d]);
                          return index;
                        });
                      }};

/// Along dimensions, or, without any, along all elements in their order.
Tensors rollOf(Context& c) {
  const std::vector<int64_t> shifts = c.integers("shifts"), dims = c.integers("dims");
  const auto rolled = [](Value index, int64_t shift, int64_t extent) {
    return mod(index + ((extent - shift % extent) % extent), extent);
  };
  return reordered(c, [=](const Tensor& self, Index index) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const auto d = static_cast<std::size_t>(dims[i] < 0 ? dims[i] + static_cast<int64_t>(index.size()) : dims[i]);
      index[d] = rolled(index[d], shifts[i], self.sizes[d]);
    }
    if (!dims.empty() || index.empty()) return index;
    int64_t extent = 1;
    for (const int64_t size : self.sizes) extent *= size;
    Value place = rolled(flattened(index, self.sizes), shifts.front(), extent);
    return unflattened(place, self.sizes);
  });
}
const Lowering roll{"aten::roll", rollOf};

}  // namespace
}  // namespace lowering
