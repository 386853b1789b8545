// Distances between rows, their gradients, and rows held within a distance from 0.
#include <cmath>
#include <utility>

#include "lowering/operators/reduction/norm.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

using ir::DType;

Tensors distance(Context& c) {
  const DType dtype = ir::opmath(c.outputType().dtype);
  const Tensor apart = map([](Value x, Value y) { return x - y; }, cast(c.tensor("self"), dtype), cast(c.tensor("other"), dtype));
  const Dims all = everyDim(apart);
  return asOutputs(c, {squeeze(c, vectorNorm(c, apart, c.number("p"), all), all)});
}

/// Slices along a dimension whose norm is too large are scaled.
Tensors renorm(Context& c) {
  const Tensor self = inOpmath(c.tensor("self"));
  const double most = c.number("maxnorm");
  const Tensor norm = vectorNorm(c, self, c.number("p"), allBut(c.dim("dim", self.sizes.size()), self));
  const auto scaled = [most](Value x, Value norm) { return x * where(norm > most, most / (norm + 1e-7), 1.0); };
  return asOutputs(c, {map(scaled, self, norm)});
}

/// The distances of rows along the last dimension, which none is from a row without elements.
Tensor lengths(Context& c, const Tensor& apart, double p) {
  const auto last = static_cast<int64_t>(apart.sizes.size()) - 1;
  const auto isApart = [](Value x) { return min(ceil(abs(x)), 1.0); };  // NaN of NaN, which norms of order 0 count
  const Tensor norm = p == 0 ? sum(c, map(isApart, apart), {last}) : vectorNorm(c, apart, p, {last});
  return squeeze(c, apart.sizes.back() > 0 ? norm : map([](Value n) { return n.like(0); }, norm), {last});
}

/// The derivative of a distance by an element of the first row, which is so far from the other row's.
Value slopeOf(double p, Value apart, Value distance) {
  const Value direction = where(apart > 0.0, 1.0, where(apart < 0.0, -1.0, apart));
  if (p == 1) return direction;
  if (std::isinf(p)) return where(abs(apart) == distance, direction, 0.0);
  const Value isZero = distance == 0.0;
  if (p == 2) return where(isZero, 0.0, apart / distance);
  const Value scale = pow(distance, p - 1);
  if (p < 2) {
    const Value isFlat = p < 1 ? isZero | (apart == 0.0) : isZero;
    return where(isFlat, 0.0, direction * pow(abs(apart), p - 1) / scale);
  }
  return where(isZero, 0.0, apart * pow(abs(apart), p - 2) / scale);
}

// ---------------------------------------------------------------------------------------------------------------------
// Of every row of one batch of matrices from every row of another.

/// The elements of the first tensor's rows, less the elements of the second one's: [.., first row, second row, element].
Tensor differences(const Tensor& first, const Tensor& second) {
  return map([](Value x, Value y) { return x - y; }, unsqueezed(first, first.sizes.size() - 1),
             unsqueezed(second, second.sizes.size() - 2));
}
/// The gradient of the distances, whose name differs between releases of ATen: `grad`, `grad_output`.
Tensor gradientOf(Context& c) { return c.tensorOf(c.argument(0)); }

Tensors cdistForward(Context& c) {
  const Tensor first = inOpmath(c.tensor("x1")), second = inOpmath(c.tensor("x2"));
  return asOutputs(c, {lengths(c, differences(first, second), c.number("p"))});
}
Tensors euclideanDistances(Context& c) {
  const Tensor first = inOpmath(c.tensor("x1")), second = inOpmath(c.tensor("x2"));
  return asOutputs(c, {lengths(c, differences(first, second), 2)});
}
Tensors cdistBackward(Context& c) {
  const Tensor first = inOpmath(c.tensor("x1")), second = inOpmath(c.tensor("x2"));
  const Tensor apart = differences(first, second);
  if (c.number("p") == 0 || numelOf(apart.sizes) == 0) return {zeros(c)};
  const std::size_t rank = apart.sizes.size();
  const auto share = [p = c.number("p")](Value apart, Value distance, Value grad) { return slopeOf(p, apart, distance) * grad; };
  const auto ofRows = [&](const Tensor& rows) { return unsqueezed(cast(rows, apart.dtype), rank - 1); };
  const auto dim = static_cast<int64_t>(rank) - 2;
  const Tensor gradient = squeeze(c, sum(c, map(share, apart, ofRows(c.tensor("cdist")), ofRows(gradientOf(c))), {dim}), {dim});
  return asOutputs(c, {reshaped(c.pool(), gradient, c.outputType().sizes)});
}

// ---------------------------------------------------------------------------------------------------------------------
// Of every row of a matrix from every later one: (0, 1), (0, 2), .., (1, 2), ..

/// The two rows of a distance's number, of so many rows.
std::pair<Value, Value> rowsOf(Value number, int64_t rows) {
  const double middle = static_cast<double>(rows) - 0.5;
  const Value first = cast(middle - sqrt(middle * middle - 1.0 - 2.0 * cast(number, DType::F64)), DType::I64);
  const Value begin = first * rows - floorDiv(first * (first + 1), 2);
  return {first, number - begin + first + 1};
}
Value numberOfRows(Value first, Value second, int64_t rows) {
  return first * rows - floorDiv(first * (first + 1), 2) + second - first - 1;
}
Tensors pdistForward(Context& c) {
  const Tensor self = inOpmath(c.tensor("self"));
  const ir::Shape sizes{numelOf(c.outputType().sizes), self.sizes[1]};
  const Tensor apart = lazy(self.dtype, sizes, [self](const Index& at) {
    const auto [first, second] = rowsOf(at[0], self.sizes[0]);
    return self.at({first, at[1]}) - self.at({second, at[1]});
  });
  return asOutputs(c, {lengths(c, apart, c.number("p"))});
}
Tensors pdistBackward(Context& c) {
  if (c.number("p") == 0) return {zeros(c)};
  const Tensor self = inOpmath(c.tensor("self"));
  const Tensor grad = cast(gradientOf(c), self.dtype), distances = cast(c.tensor("pdist"), self.dtype);
  const int64_t rows = self.sizes[0];
  const Tensor shares = lazy(self.dtype, {rows, rows, self.sizes[1]}, [=, p = c.number("p")](const Index& at) {
    const Value isOther = at[0] != at[1], apart = self.at({at[0], at[2]}) - self.at({at[1], at[2]});
    const Value number = numberOfRows(min(at[0], at[1]), max(at[0], at[1]), rows);
    const Value share = slopeOf(p, apart, distances.at({number})) * grad.at({number});
    return readWhere(isOther, share, share.like(0));
  });
  return asOutputs(c, {squeeze(c, sum(c, shares, {1}), {1})});
}

const Lowering distOf{"aten::dist", distance};
const Lowering renormOf{"aten::renorm", renorm};
const Lowering cdistForwardOf{"aten::_cdist_forward", cdistForward};
const Lowering euclideanDist{"aten::_euclidean_dist", euclideanDistances};
const Lowering cdistBackwardOf{"aten::_cdist_backward", cdistBackward};
const Lowering pdistForwardOf{"aten::_pdist_forward", pdistForward};
const Lowering pdistBackwardOf{"aten::_pdist_backward", pdistBackward};

}  // namespace
}  // namespace lowering
