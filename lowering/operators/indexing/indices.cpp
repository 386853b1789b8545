#include "lowering/operators/indexing/indices.h"

#include "ir/error.h"
#include "lowering/tensor/places.h"

namespace lowering {

Indices::Indices(const Context& c, const ir::Shape& sizes) : sizes_(sizes), places_(c.optionalTensors("indices")) {
  places_.resize(sizes.size());
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < places_.size(); ++d) {
    if (!places_[d]) {
      named_.push_back(sizes[d]);
      continue;
    }
    if (places_[d]->dtype == ir::DType::Bool || places_[d]->dtype == ir::DType::U8)
      ir::fail(ir::ErrorKind::Unsupported, "an index of bools has a size that its values decide");
    common_ = broadcast(common_, places_[d]->sizes);
    dims.push_back(d);
  }
  for (std::optional<Tensor>& one : places_)
    if (one) one = expand(*one, common_);
  const bool areNeighbours = !dims.empty() && dims.back() - dims.front() + 1 == dims.size();
  first_ = areNeighbours ? static_cast<std::ptrdiff_t>(dims.front()) : 0;
  named_.insert(named_.begin() + first_, common_.begin(), common_.end());
}

Element Indices::elementAt(const Index& index) const {
  const auto begin = index.begin() + first_, end = begin + static_cast<std::ptrdiff_t>(common_.size());
  const Index ofPlaces(begin, end);
  Index rest(index.begin(), begin);
  rest.insert(rest.end(), end, index.end());
  std::vector<Places> places;
  std::size_t next = 0;
  for (std::size_t d = 0; d < places_.size(); ++d)
    places.push_back(
        {places_[d] ? fromEnd(placeOf(places_[d]->at(ofPlaces), sizes_[d], -sizes_[d]), sizes_[d]) : Place{rest[next++]}});
  return elementsAt({}, places).front();
}

}  // namespace lowering
