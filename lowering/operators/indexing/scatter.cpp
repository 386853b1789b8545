// Values that are combined with elements of a tensor, or take their place, at places that index tensors name.
#include <utility>

#include "ir/error.h"
#include "lowering/operators/indexing/indices.h"

namespace lowering {
namespace {

/// The elements at the same index but for another place along the call's `dim`. A number has only one element.
ElementOf elementsAlong(const Context& c, const Tensor& self, const std::function<Value(const Index&)>& place) {
  const ir::Shape sizes = asVector(self).sizes;
  return [dim = c.dim("dim", sizes.size()), sizes, place, isNumber = self.sizes.empty()](const Index& index) {
    const auto d = static_cast<std::size_t>(dim);
    const Place other = placeOf(place(index), sizes[d]);
    Element element{isNumber ? Index{} : index, other.exists};
    if (!isNumber) element.index[d] = other.at;
    return element;
  };
}

/// Values that are added up as eager adds them on GPUs, where it rounds each sum of halves; so may values that never meet, as
/// there is one along the call's `dim`.
Tensor summedAsEager(const Context& c, Tensor scattered) {
  if (scattered.scatter == nullptr) return scattered;
  Scatter scatter = *scattered.scatter;
  const ir::Shape& values = scatter.sizes;
  const bool meet = !c.has("dim") || values.empty() || values[static_cast<std::size_t>(c.dim("dim", values.size()))] > 1;
  scatter.mayRoundEach = !c.followsHost() || !meet;
  scattered.scatter = std::make_shared<const Scatter>(std::move(scatter));
  return scattered;
}

/// The operation that a call's `reduce` names; a mean is a sum first.
ir::Op operationOf(const Context& c) {
  const std::string name = c.text("reduce");
  if (name == "add" || name == "sum" || name == "mean") return ir::Op::Add;
  if (name == "multiply" || name == "prod") return ir::Op::Mul;
  if (name == "amax") return ir::Op::Max;
  if (name == "amin") return ir::Op::Min;
  ir::fail(ir::ErrorKind::Unsupported, "values that are combined by {} are not lowered", name);
}

/// A tensor whose elements are combined with values by the call's `reduce`. Without `include_self` an element that gets any value
/// does not count itself.
Tensors reduced(Context& c, const Tensor& self, const ir::Shape& sizes, const ElementOf& element,
                const std::function<Value(const Index&)>& value) {
  const ir::Op op = operationOf(c);
  const bool isMean = c.text("reduce") == "mean", includesSelf = !c.has("include_self") || c.flag("include_self");
  if (!isMean && includesSelf) return {summedAsEager(c, scatteredTo(c, op, self, sizes, element, value))};
  ir::ExprPool& pool = c.pool();
  const auto one = [&pool](const Index&) { return Value{pool, pool.integer(ir::DType::I32, 1)}; };
  const ir::TensorType count = ir::TensorType::contiguous(ir::DType::I32, self.sizes);
  const Tensor none = zeros(pool, count), before = includesSelf ? constant(count, one({})) : none;
  const Tensor counts = c.stored(scatteredTo(c, ir::Op::Add, before, sizes, element, one));
  const auto start = [op](Value x, Value count) {
    return where(count > 0, Value{x.pool(), x.pool().identity(op, x.dtype())}, x);
  };
  const Tensor first = includesSelf ? self : map(start, self, counts);
  if (!isMean) return {summedAsEager(c, scatteredTo(c, op, first, sizes, element, value))};
  const auto wide = [value, dtype = ir::opmath(self.dtype)](const Index& index) { return cast(value(index), dtype); };
  const Tensor sums = c.stored(scatteredTo(c, ir::Op::Add, inOpmath(first), sizes, element, wide));
  const auto mean = [](Value sum, Value count) {
    const Value divisor = cast(max(count, 1), sum.dtype());
    return ir::isFloating(sum.dtype()) ? sum / divisor : floorDiv(sum, divisor);
  };
  return {cast(map(mean, sums, counts), self.dtype)};
}

/// One place for each slice along `dim`.
ElementOf slicesOf(const Context& c, const Tensor& self) {
  const Tensor index = asVector(c.tensor("index"));
  const auto dim = static_cast<std::size_t>(c.dim("dim", asVector(self).sizes.size()));
  return elementsAlong(c, self, [=](const Index& at) { return index.at({at[dim]}); });
}

Tensors indexAdd(Context& c) {
  const Tensor self = c.tensor("self"), source = asVector(cast(c.tensor("source"), self.dtype));
  const Value alpha = c.constant("alpha", ir::opmath(self.dtype));
  const bool isScaled = c.number("alpha") != 1;
  const auto value = [source, alpha, isScaled](const Index& at) {
    const Value element = source.at(at);
    return isScaled ? cast(element, alpha.dtype()) * alpha : element;
  };
  return {summedAsEager(c, scatteredTo(c, ir::Op::Add, self, source.sizes, slicesOf(c, self), value))};
}

Tensors indexReduce(Context& c) {
  const Tensor self = c.tensor("self"), source = asVector(c.tensor("source"));
  return reduced(c, self, source.sizes, slicesOf(c, self), source.at);
}

Tensors indexCopy(Context& c) {
  const Tensor self = c.tensor("self"), source = asVector(c.tensor("source"));
  return {scatteredTo(c, {}, self, source.sizes, slicesOf(c, self), source.at)};
}

/// A number for every element of the slices.
Tensors indexFill(Context& c) {
  const Tensor self = c.tensor("self"), index = c.tensor("index");
  const bool isTensor = c.argument("value").is<ir::ValueRef>();
  const Value value = isTensor ? cast(c.tensor("value").at({}), self.dtype) : c.constant("value", self.dtype);
  if (self.sizes.empty()) return {numelOf(index.sizes) == 0 ? self : constant(c.outputType(), value)};
  const auto dim = static_cast<std::size_t>(c.dim("dim", self.sizes.size()));
  ir::Shape sizes = self.sizes;
  const int64_t extent = std::exchange(sizes[dim], numelOf(index.sizes));
  const auto element = [=](const Index& at) {
    Element element{at};
    element.index[dim] = fromEnd(placeOf(index.at(index.sizes.empty() ? Index{} : Index{at[dim]}), extent, -extent), extent).at;
    return element;
  };
  return {scatteredTo(c, {}, self, sizes, element, [value](const Index&) { return value; })};
}

/// One value for each place: the elements of `src`, or a number.
std::function<Value(const Index&)> valuesOf(const Context& c, ir::DType dtype) {
  if (c.has("value")) return [number = c.constant("value", dtype)](const Index&) { return number; };
  return asVector(cast(c.tensor("src"), dtype)).at;
}
Tensors scattered(Context& c, std::optional<ir::Op> op) {
  const Tensor self = c.tensor("self"), index = asVector(c.tensor("index"));
  const ElementOf element = elementsAlong(c, self, index.at);
  return {summedAsEager(c, scatteredTo(c, op, self, index.sizes, element, valuesOf(c, self.dtype)))};
}
Tensors scatter(Context& c) { return scattered(c, {}); }
Tensors scatterAdd(Context& c) { return scattered(c, ir::Op::Add); }
Tensors scatterReduce(Context& c) {
  const Tensor self = c.tensor("self"), index = asVector(c.tensor("index"));
  return reduced(c, self, index.sizes, elementsAlong(c, self, index.at), valuesOf(c, self.dtype));
}

/// A row's gradient is the sum of its copies' gradients. Row `padding_idx` has none.
Tensors embeddingBackward(Context& c) {
  if (c.flag("scale_grad_by_freq")) ir::fail(ir::ErrorKind::Unsupported, "gradients by the frequency of rows are not lowered");
  const Tensor grad = c.tensor("grad_output"), places = c.tensor("indices");
  const int64_t padding = c.integer("padding_idx");
  const auto element = [places, rows = c.outputType().sizes[0]](const Index& at) {
    const Place row = placeOf(places.at(leading(at, 1)), rows);
    return Element{{row.at, at.back()}, row.exists};
  };
  const auto value = [grad, places, padding](const Index& at) {
    return where(places.at(leading(at, 1)) != padding, grad.at(at), 0.0);
  };
  return {scatteredTo(c, ir::Op::Add, zeros(c), grad.sizes, element, value)};
}

/// Values are added where the call says so, and else take the elements' place.
std::optional<ir::Op> accumulation(const Context& c) { return c.flag("accumulate") ? std::optional(ir::Op::Add) : std::nullopt; }

Tensors indexPut(Context& c) {
  const Tensor self = c.tensor("self");
  const Indices indices(c, self.sizes);
  const Tensor values = expand(c.tensor("values"), indices.named());
  return {scatteredTo(
      c, accumulation(c), self, indices.named(), [indices](const Index& index) { return indices.elementAt(index); }, values.at)};
}

/// Values are added where the mask holds, at places held within the dimensions.
Tensors maskedIndexPut(Context& c) {
  const Tensor self = c.tensor("self");
  const Indices indices(c, self.sizes);
  const Tensor values = expand(c.tensor("values"), indices.named()), mask = expand(c.tensor("mask"), indices.named());
  const auto value = [=](const Index& index) { return where(mask.at(index), values.at(index), 0.0); };
  return {scatteredTo(
      c, ir::Op::Add, self, indices.named(), [indices](const Index& index) { return Element{indices.elementAt(index).index}; },
      value)};
}

/// At indices that number all elements.
Tensors putOf(Context& c) {
  const Tensor self = c.tensor("self"), places = c.tensor("index"), source = c.tensor("source");
  const int64_t count = numelOf(self.sizes);
  const auto element = [=](const Index& index) {
    const Place place = fromEnd(placeOf(places.at(index), count, -count), count);
    return Element{unflattened(place.at, self.sizes), place.exists};
  };
  const auto value = [=, &pool = c.pool()](const Index& index) {
    return source.at(reshaped(pool, index, places.sizes, source.sizes));
  };
  return {summedAsEager(c, scatteredTo(c, accumulation(c), self, places.sizes, element, value))};
}

const Lowering indexPutOf{"aten::index_put", indexPut};
const Lowering indexPutImpl{"aten::_index_put_impl", indexPut};
const Lowering unsafeIndexPut{"aten::_unsafe_index_put", indexPut};
const Lowering unsafeMaskedIndexPut{"aten::_unsafe_masked_index_put_accumulate", maskedIndexPut};
const Lowering put{"aten::put", putOf};
const Lowering embeddingDenseBackward{"aten::embedding_dense_backward", embeddingBackward};
const Lowering indexAddOf{"aten::index_add", indexAdd};
const Lowering indexCopyOf{"aten::index_copy", indexCopy};
const Lowering indexFillOf{"aten::index_fill", indexFill};
const Lowering indexReduceOf{"aten::index_reduce", indexReduce};
const Lowering scatterOf{"aten::scatter", scatter};
const Lowering scatterAddOf{"aten::scatter_add", scatterAdd};
const Lowering scatterReduceOf{"aten::scatter_reduce", scatterReduce};
const Lowering scatterWithReduce{"aten::scatter.reduce", scatterReduce};
const Lowering scatterValueWithReduce{"aten::scatter.value_reduce", scatterReduce};

}  // namespace
}  // namespace lowering
