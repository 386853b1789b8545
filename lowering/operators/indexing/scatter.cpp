// Values that are added to elements of a tensor at places that an index tensor names.
#include "ir/error.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

/// `self` with values added: the one at an index of `sizes` to the element whose place along `dim` is another one.
Tensors added(const Tensor& self, const ir::Shape& sizes, const Dims& dim, const std::function<Value(const Index&)>& place,
              const std::function<Value(const Index&)>& value) {
  const auto placeAt = [self, dim, place](const Index& index) { return placeOf(place(index), self.sizes[dim.front()]); };
  Scatter scatter{ir::Op::Add, sizes, {}, {}};
  scatter.place = [dim, placeAt](const Index& index) {
    Index to = index;
    if (!to.empty()) to[dim.front()] = placeAt(index).at;
    return to;
  };
  scatter.value = [value, placeAt](const Index& index) {
    return index.empty() ? value(index) : where(*placeAt(index).exists, value(index), 0.0);
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

/// The gradient of a row is the sum of those of its copies, but for that of `padding_idx`.
Tensors embeddingBackward(Context& c) {
  if (c.flag("scale_grad_by_freq")) ir::fail(ir::ErrorKind::Unsupported, "gradients by the frequency of rows are not lowered");
  const Tensor grad = c.tensor("grad_output"), places = c.tensor("indices");
  const int64_t padding = c.integer("padding_idx");
  const auto place = [places](const Index& at) { return places.at(leading(at, 1)); };
  const auto value = [grad, place, padding](const Index& at) { return where(place(at) != padding, grad.at(at), 0.0); };
  Scatter scatter{ir::Op::Add, grad.sizes, {}, value};
  scatter.place = [place, rows = c.outputType().sizes[0]](const Index& at) {
    return Index{placeOf(place(at), rows).at, at.back()};
  };
  scatter.value = [place, value, rows = c.outputType().sizes[0]](const Index& at) {
    return where(*placeOf(place(at), rows).exists, value(at), 0.0);
  };
  return {accumulated(c, std::move(scatter))};
}

const Lowering embeddingDenseBackward{"aten::embedding_dense_backward", embeddingBackward};
const Lowering indexAddOf{"aten::index_add", indexAdd};
const Lowering scatterAddOf{"aten::scatter_add", scatterAdd};

}  // namespace
}  // namespace lowering
