// Elements that are set to a number at places that an index tensor names.
#include "ir/error.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

/// Each place along the dimension is compared with each index, so many times at most.
constexpr int64_t mostComparisons = int64_t{1} << 20;

Tensors indexFill(Context& c) {
  const Tensor self = c.tensor("self"), places = c.tensor("index");
  if (self.sizes.empty()) ir::fail(ir::ErrorKind::Unsupported, "index_fill of a number is not lowered");
  const auto dim = static_cast<std::size_t>(c.dim("dim", self.sizes.size()));
  const int64_t extent = self.sizes[dim], count = places.sizes.empty() ? 1 : places.sizes[0];
  if (extent * count > mostComparisons)
    ir::fail(ir::ErrorKind::Unsupported, "{} indices into {} elements are too many to compare each with each", count, extent);
  const Tensor isNamed = reduce(c, ir::Op::Or,
                                {ir::DType::Bool,
                                 {extent, count},
                                 [=](const Index& index) {
                                   const Value at = places.at(places.sizes.empty() ? Index{} : Index{index[1]});
                                   const Place place = fromEnd(placeOf(at, extent, -extent), extent);
                                   return *place.exists & (place.at == index[0]);
                                 }},
                                {1});
  const bool isTensor = c.argument("value").is<ir::ValueRef>();
  const Value value = isTensor ? cast(c.tensor("value").at({}), self.dtype) : c.constant("value", self.dtype);
  return {lazy(self.dtype, self.sizes,
               [=](const Index& index) { return where(isNamed.at({index[dim], index[dim].like(0)}), value, self.at(index)); })};
}
const Lowering indexFillOf{"aten::index_fill", indexFill};

}  // namespace
}  // namespace lowering
