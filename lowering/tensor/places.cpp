#include "lowering/tensor/places.h"

#include "ir/error.h"

namespace lowering {

std::vector<Element> elementsAt(const Element& first, const std::vector<Places>& next) {
  std::vector<Element> elements{first};
  for (const Places& places : next) {
    std::vector<Element> longer;
    for (const Element& element : elements) {
      for (const auto& [at, exists] : places) {
        Element one = element;
        one.index.push_back(at);
        if (exists) one.exists = one.exists ? *one.exists & *exists : *exists;
        longer.push_back(std::move(one));
      }
    }
    elements = std::move(longer);
  }
  return elements;
}

Value read(const Tensor& tensor, const Element& element, Value other) {
  const Value value = tensor.at(element.index);
  return element.exists ? readWhere(*element.exists, value, other) : value;
}

Value sumOf(const Tensor& tensor, const std::vector<Element>& elements) {
  std::optional<Value> sum;
  for (const Element& element : elements) {
    const Value value = tensor.at(element.index);
    const Value one = element.exists ? readWhere(*element.exists, value, value.like(0)) : value;
    sum = sum ? *sum + one : one;
  }
  return *sum;
}

Place placeOf(Value index, int64_t extent, int64_t least) {
  const Value wide = cast(index, ir::DType::I64);
  const Value at = min(max(wide, least), extent - 1);
  return {at, at == wide};
}

Place fromEnd(const Place& place, int64_t extent) { return {where(place.at < 0, place.at + extent, place.at), place.exists}; }

Tensor asVector(const Tensor& tensor) {
  if (!tensor.sizes.empty()) return tensor;
  return {tensor.dtype, {1}, [at = tensor.at](const Index&) { return at({}); }};
}

Tensor constant(const ir::TensorType& type, Value value) {
  return {type.dtype, type.sizes, [value = cast(value, type.dtype)](const Index&) { return value; }};
}
Tensor zeros(ir::ExprPool& pool, const ir::TensorType& type) { return constant(type, {pool, pool.integer(type.dtype, 0)}); }
Tensor zeros(const Context& c) { return zeros(c.pool(), c.outputType()); }

Tensor scatteredTo(std::optional<ir::Op> op, const Tensor& self, const ir::Shape& sizes, const ElementOf& element,
                   const std::function<Value(const Index&)>& value) {
  if (op && self.dtype == ir::DType::Bool)
    ir::fail(ir::ErrorKind::Unsupported, "Bool values that meet in an element are not lowered");
  Scatter scatter{op, sizes, [element](const Index& index) { return element(index).index; }, value};
  if (op)
    scatter.value = [op, element, value](const Index& index) {
      const std::optional<Value> exists = element(index).exists;
      const Value one = value(index);
      return exists ? where(*exists, one, Value{one.pool(), one.pool().identity(*op, one.dtype())}) : one;
    };
  Tensor result = self;
  result.scatter = std::make_shared<const Scatter>(std::move(scatter));
  return result;
}

Index leading(const Index& index, std::size_t without) {
  return {index.begin(), index.end() - static_cast<std::ptrdiff_t>(without)};
}
Index trailing(const Index& index, std::size_t count) { return {index.end() - static_cast<std::ptrdiff_t>(count), index.end()}; }

}  // namespace lowering
