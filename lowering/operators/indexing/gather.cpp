// Elements at places that index tensors name.
#include <algorithm>

#include "ir/error.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

using ir::DType;

/// A place that counts from the end where it is negative.
Place fromEnd(const Place& place, int64_t extent) { return {where(place.at < 0, place.at + extent, place.at), place.exists}; }

const Lowering gather{"aten::gather", [](Context& c) {
                        const Tensor self = c.tensor("self"), places = c.tensor("index");
                        const auto dim = static_cast<std::size_t>(c.dim("dim", self.sizes.size()));
                        return Tensors{lazy(self.dtype, places.sizes, [=](const Index& index) {
                          Index from = index;
                          if (!from.empty()) from[dim] = placeOf(places.at(index), self.sizes[dim]).at;
                          return self.at(from);
                        })};
                      }};

const Lowering take{"aten::take", [](Context& c) {
                      const Tensor self = c.tensor("self"), places = c.tensor("index");
                      int64_t count = 1;
                      for (const int64_t size : self.sizes) count *= size;
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
    if (!self.sizes.empty()) from.push_back(placeOf(places.at({first, last}), self.sizes[dim]).at);
    from.insert(from.end(), last, index.end());
    return self.at(from);
  });
}

const Lowering indexSelect{"aten::index_select", [](Context& c) {
                             const Tensor self = c.tensor("self"), places = c.tensor("index");
                             const auto dim = static_cast<std::size_t>(c.dim("dim", self.sizes.size()));
                             if (places.sizes.empty() || self.sizes.empty())
                               ir::fail(ir::ErrorKind::Unsupported, "index_select of a number is not lowered");
                             return Tensors{slices(self, dim, places, c.outputType().sizes)};
                           }};
const Lowering embedding{"aten::embedding", [](Context& c) {
                           return Tensors{slices(c.tensor("weight"), 0, c.tensor("indices"), c.outputType().sizes)};
                         }};

/// Dimensions with index tensors are indexed together, by tensors that are broadcast against each other. Their dimensions come
/// where the first of them was if they are neighbours, and else first.
Tensors indexOf(Context& c) {
  const Tensor self = c.tensor("self");
  const ir::Shape sizes = c.outputType().sizes;
  std::vector<std::optional<Tensor>> places = c.optionalTensors("indices");
  places.resize(self.sizes.size());
  ir::Shape common;
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < places.size(); ++d) {
    if (!places[d]) continue;
    if (places[d]->dtype == DType::Bool || places[d]->dtype == DType::U8)
      ir::fail(ir::ErrorKind::Unsupported, "an index of bools has a size that its values decide");
    common = broadcast(common, places[d]->sizes);
    dims.push_back(d);
  }
  const bool areNeighbours = dims.back() - dims.front() + 1 == dims.size();
  const auto first = static_cast<std::ptrdiff_t>(areNeighbours ? dims.front() : 0);
  for (std::optional<Tensor>& one : places)
    if (one) one = expand(*one, common);
  return {lazy(self.dtype, sizes, [=](const Index& index) {
    const auto begin = index.begin() + first, end = begin + static_cast<std::ptrdiff_t>(common.size());
    const Index ofPlaces(begin, end);
    Index rest(index.begin(), begin);
    rest.insert(rest.end(), end, index.end());
    Index from;
    std::size_t next = 0;
    for (std::size_t d = 0; d < places.size(); ++d)
      from.push_back(places[d] ? fromEnd(placeOf(places[d]->at(ofPlaces), self.sizes[d], -self.sizes[d]), self.sizes[d]).at
                               : rest[next++]);
    return self.at(from);
  })};
}
const Lowering index{"aten::index", indexOf};

}  // namespace
}  // namespace lowering
