// Elements where a mask holds, one after another.
#include "lowering/tensor/places.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

using ir::DType;

/// How many elements of a mask hold, up to and including each, as a vector in the elements' order.
Tensor countsOf(Context& c, const Tensor& mask) {
  const Tensor row = reshaped(c.pool(), mask, {numelOf(mask.sizes)});
  return c.stored(scan(c, ir::Op::Add, cast(row, DType::I64), 0));
}

/// The elements of `source`, one after another, where the mask holds.
Tensors maskedScatter(Context& c) {
  const ir::Shape& sizes = c.outputType().sizes;
  const Tensor self = expand(c.tensor("self"), sizes), mask = expand(c.tensor("mask"), sizes), source = c.tensor("source");
  const int64_t given = numelOf(source.sizes);
  if (given == 0 || numelOf(sizes) == 0) return {self};
  const Tensor counts = countsOf(c, mask);
  return {lazy(self.dtype, sizes, [=, &pool = c.pool()](const Index& index) {
    const Index number = sizes.empty() ? Index{{pool, pool.integer(DType::I64, 0)}} : Index{flattened(index, sizes)};
    const Place place = placeOf(counts.at(number) - 1, given);
    return readWhere(mask.at(index), source.at(unflattened(place.at, source.sizes)), self.at(index));
  })};
}

/// The place of the element of a number among those where the mask holds; there is one if it holds there, and there is room.
Place placeAmong(const Tensor& mask, const Tensor& counts, Value number, int64_t room) {
  const Place place = placeOf(counts.at({number}) - 1, room);
  return {place.at, *place.exists & mask.at(unflattened(number, mask.sizes))};
}

/// The gradients of the elements that were taken, one after another; all others are 0.
Tensors maskedScatterBackward(Context& c) {
  const ir::TensorType& type = c.outputType();
  const Tensor grad = c.tensor("grad_output"), mask = expand(c.tensor("mask"), grad.sizes);
  const int64_t room = numelOf(type.sizes), given = numelOf(grad.sizes);
  if (room == 0 || given == 0) return {zeros(c)};
  const Tensor counts = countsOf(c, mask);
  const auto element = [=, sizes = type.sizes](const Index& index) {
    const Place place = placeAmong(mask, counts, index[0], room);
    return Element{unflattened(place.at, sizes), place.exists};
  };
  const auto value = [grad](const Index& index) { return grad.at(unflattened(index[0], grad.sizes)); };
  return {scatteredTo(c, ir::Op::Add, zeros(c), {given}, element, value)};
}

/// The indices of the first `size` elements that are not 0, and a number where there are fewer.
Tensors nonzeroStatic(Context& c) {
  const Tensor isNonzero = cast(c.tensor("self"), DType::Bool);
  const ir::TensorType& type = c.outputType();
  const Value fill = c.constant("fill_value", type.dtype);
  const Tensor first = constant(type, fill);
  const int64_t given = numelOf(isNonzero.sizes), rank = type.sizes[1];
  if (numelOf(type.sizes) == 0 || given == 0) return {first};
  const Tensor counts = countsOf(c, isNonzero);
  const auto element = [=, room = type.sizes[0]](const Index& index) {
    const Place place = placeAmong(isNonzero, counts, index[0], room);
    return Element{{place.at, index[1]}, place.exists};
  };
  const auto value = [=](const Index& index) {
    const Index indices = unflattened(index[0], isNonzero.sizes);
    Value one = indices[0];
    for (std::size_t d = 1; d < indices.size(); ++d) one = where(index[1] == static_cast<int64_t>(d), indices[d], one);
    return one - fill;
  };
  return {scatteredTo(c, ir::Op::Add, first, {given, rank}, element, value)};
}

const Lowering maskedScatterOf{"aten::masked_scatter", maskedScatter};
const Lowering maskedScatterBackwardOf{"aten::masked_scatter_backward", maskedScatterBackward};
const Lowering nonzeroStaticOf{"aten::nonzero_static", nonzeroStatic};

}  // namespace
}  // namespace lowering
