// Values that are added to elements of a tensor at places that an index tensor names.
#include "lowering/tensor/lowering.h"

namespace lowering {
namespace {

/// A place along a dimension of so many elements. Whatever is in memory, no other is written to.
struct Place {
  Place(Value index, int64_t extent)
      : at(min(max(cast(index, ir::DType::I64), 0), extent - 1)), exists((at == cast(index, ir::DType::I64))) {}
  Value at;
  Value exists;
};

/// `self` with values added: the one at an index of `sizes` to the element whose place along `dim` is another one.
Tensors added(const Tensor& self, const ir::Shape& sizes, const Dims& dim, const std::function<Value(const Index&)>& place,
              const std::function<Value(const Index&)>& value) {
  const auto placeAt = [self, dim, place](const Index& index) { return Place(place(index), self.sizes[dim.front()]); };
  Scatter scatter{ir::Op::Add, sizes, {}, {}};
  scatter.place = [dim, placeAt](const Index& index) {
    Index to = index;
    if (!to.empty()) to[dim.front()] = placeAt(index).at;
    return to;
  };
  scatter.value = [value, placeAt](const Index& index) {
    return index.empty() ? value(index) : where(placeAt(index).exists, value(index), 0.0);
  };
  Tensor result = self;
  result.scatter = std::make_shared<const Scatter>(std::move(scatter));
  return {result};
}

/// One place for each slice of `source` along `dim`.
Tensors indexAdd(Context& c) {
  const Tensor self = c.tensor("self"), index = c.tensor("index");
  const Dims dim = c.dims("dim", self.sizes.size());
  const Value alpha = c.constant("alpha", ir::opmath(self.dtype));
  const bool isScaled = c.number("alpha") != 1;
  const Tensor source = cast(c.tensor("source"), self.dtype);
  const auto place = [index, dim](const Index& at) { return index.at(index.sizes.empty() ? Index{} : Index{at[dim.front()]}); };
  const auto value = [source, alpha, isScaled](const Index& at) {
    const Value element = source.at(at);
    return isScaled ? cast(element, alpha.dtype()) * alpha : element;
  };
  return added(self, source.sizes, dim, place, value);
}

/// One place for each element of `src`.
Tensors scatterAdd(Context& c) {
  const Tensor self = c.tensor("self"), index = c.tensor("index"), source = cast(c.tensor("src"), self.dtype);
  return added(self, index.sizes, c.dims("dim", self.sizes.size()), index.at, source.at);
}

const Lowering indexAddOf{"aten::index_add", indexAdd};
const Lowering scatterAddOf{"aten::scatter_add", scatterAdd};

}  // namespace
}  // namespace lowering
