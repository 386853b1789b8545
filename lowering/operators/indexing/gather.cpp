// Elements at places that index tensors name.
#include "lowering/operators/indexing/indices.h"

namespace lowering {
namespace {

const Lowering gather{"aten::gather", [](Context& c) {
                        const Tensor self = asVector(c.tensor("self")), places = asVector(c.tensor("index"));
                        const auto dim = static_cast<std::size_t>(c.dim("dim", self.sizes.size()));
                        const Tensor found = lazy(self.dtype, places.sizes, [=](const Index& index) {
                          Index from = index;
                          from[dim] = placeOf(places.at(index), self.sizes[dim]).at;
                          return self.at(from);
                        });
                        return Tensors{reshaped(c.pool(), found, c.outputType().sizes)};
                      }};

const Lowering take{"aten::take", [](Context& c) {
                      const Tensor self = c.tensor("self"), places = c.tensor("index");
                      const int64_t count = numelOf(self.sizes);
                      return Tensors{lazy(self.dtype, places.sizes, [=](const Index& index) {
                        return self.at(unflattened(fromEnd(placeOf(places.at(index), count, -count), count).at, self.sizes));
                      })};
                    }};

/// The slices of a tensor along a dimension that a tensor names, whose dimensions take the place of that one.
Tensor slices(const Tensor& self, std::size_t dim, const Tensor& places, const ir::Shape& sizes) {
  return lazy(self.dtype, sizes, [=](const Index& index) {
    const auto first = index.begin() + static_cast<std::ptrdiff_t>(dim);
    const auto last = first + static_cast<std::ptrdiff_t>(places.sizes.size());
    Index from(index.begin(), first);
    from.push_back(placeOf(places.at({first, last}), self.sizes[dim]).at);
    from.insert(from.end(), last, index.end());
    return self.at(from);
  });
}

const Lowering indexSelect{"aten::index_select", [](Context& c) {
                             const Tensor self = asVector(c.tensor("self")), places = asVector(c.tensor("index"));
                             const auto dim = static_cast<std::size_t>(c.dim("dim", self.sizes.size()));
                             ir::Shape sizes = self.sizes;
                             sizes[dim] = numelOf(places.sizes);
                             return Tensors{reshaped(c.pool(), slices(self, dim, places, sizes), c.outputType().sizes)};
                           }};
const Lowering embedding{"aten::embedding", [](Context& c) {
                           return Tensors{slices(c.tensor("weight"), 0, c.tensor("indices"), c.outputType().sizes)};
                         }};

/// 1 at the class that an element names, else 0.
const Lowering oneHot{"aten::one_hot", [](Context& c) {
                        const Tensor self = c.tensor("self");
                        return Tensors{lazy(c.outputType().dtype, c.outputType().sizes, [=](const Index& index) {
                          const Value isNamed = cast(self.at(leading(index, 1)), ir::DType::I64) == index.back();
                          return cast(isNamed, ir::DType::I64);
                        })};
                      }};

Tensors indexOf(Context& c) {
  const Tensor self = c.tensor("self");
  const Indices indices(c, self.sizes);
  return {lazy(self.dtype, indices.named(), [=](const Index& index) { return self.at(indices.elementAt(index).index); })};
}
/// A number where the mask does not hold; there places may be out of bounds.
Tensors maskedIndex(Context& c) {
  const Tensor self = c.tensor("self");
  const Indices indices(c, self.sizes);
  const Tensor mask = expand(c.tensor("mask"), indices.named());
  const Value fill = c.constant("fill", self.dtype);
  return {lazy(self.dtype, indices.named(),
               [=](const Index& index) { return readWhere(mask.at(index), self.at(indices.elementAt(index).index), fill); })};
}
const Lowering unsafeMaskedIndex{"aten::_unsafe_masked_index", maskedIndex};
const Lowering index{"aten::index", indexOf};
const Lowering unsafeIndex{"aten::_unsafe_index", indexOf};

}  // namespace
}  // namespace lowering
