#include "lowering/tensor/places.h"

#include <algorithm>
#include <bit>

#include "ir/error.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

constexpr int64_t manyValues = 64;                  ///< of an element: threads wait for one another longer than copies take
constexpr int64_t valuesOfCopy = 16;                ///< for each element of a copy, where copies are large
constexpr int64_t elementsOfSmallCopies = 1 << 15;  ///< copies that take as long to combine as a kernel takes to start
constexpr int64_t mostCopies = 1024;

/// How many copies of a tensor values of these sizes are spread over; 1: the tensor itself is scattered to.
int64_t copiesOf(const Tensor& self, const ir::Shape& sizes) {
  const int64_t elements = numelOf(self.sizes), values = numelOf(sizes);
  if (elements == 0 || values / elements < manyValues) return 1;
  const int64_t each = values / elements;
  const int64_t copies = std::max(each / valuesOfCopy, std::min(each, elementsOfSmallCopies / elements));
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::min(copies, mostCopies))));
}

/// The number of the value at an index among the values that may meet in one element: a place that is the element's own does not
/// count.
Value numberAmongMeeting(const Index& index, const ir::Shape& sizes, const Element& element) {
  const auto isElements = [&](const Value& at) {
    return std::any_of(element.index.begin(), element.index.end(), [&](const Value& own) { return own.expr() == at.expr(); });
  };
  Index meeting;
  ir::Shape extents;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (isElements(index[d])) continue;
    meeting.push_back(index[d]);
    extents.push_back(sizes[d]);
  }
  return flattened(meeting, extents);
}

/// Whether each value along the last dimension goes to the element at its own place along the last dimension.
bool areRows(ir::ExprPool& pool, const ir::Shape& sizes, const ElementOf& element) {
  const Index index = newIndex(pool, sizes);
  const Index own = index.empty() ? index : element(index).index;
  return !own.empty() && own.back().expr() == index.back().expr();
}

/// Without copies.
Tensor scatteredToOne(ir::ExprPool& pool, std::optional<ir::Op> op, const Tensor& self, const ir::Shape& sizes,
                      const ElementOf& element, const std::function<Value(const Index&)>& value) {
  if (op && self.dtype == ir::DType::Bool)
    ir::fail(ir::ErrorKind::Unsupported, "Bool values that meet in an element are not lowered");
  Scatter scatter{op, sizes, [element](const Index& index) { return element(index).index; }, value};
  scatter.isOfRows = areRows(pool, sizes, element);
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

}  // namespace

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

Tensor scatteredTo(Context& c, std::optional<ir::Op> op, const Tensor& self, const ir::Shape& sizes, const ElementOf& element,
                   const std::function<Value(const Index&)>& value) {
  const int64_t copies = op && c.backend() == ir::Backend::Cuda ? copiesOf(self, sizes) : 1;
  if (copies == 1) return scatteredToOne(c.pool(), op, self, sizes, element, value);
  const ir::DType wide = ir::opmath(self.dtype);
  ir::Shape spread = self.sizes;
  spread.insert(spread.begin(), copies);
  const auto inCopy = [=](const Index& index) {
    Element one = element(index);
    one.index.insert(one.index.begin(), mod(numberAmongMeeting(index, sizes, one), copies));
    return one;
  };
  const auto wideValue = [=](const Index& index) { return cast(value(index), wide); };
  const Tensor none = constant(ir::TensorType::contiguous(wide, spread), {c.pool(), c.pool().identity(*op, wide)});
  const Tensor all = squeeze(c, reduce(c, *op, c.stored(scatteredToOne(c.pool(), op, none, sizes, inCopy, wideValue)), {0}), {0});
  return map([op, wide](Value x, Value y) { return cast(apply(*op, cast(x, wide), y), x.dtype()); }, self, all);
}

Index leading(const Index& index, std::size_t without) {
  return {index.begin(), index.end() - static_cast<std::ptrdiff_t>(without)};
}
Index trailing(const Index& index, std::size_t count) { return {index.end() - static_cast<std::ptrdiff_t>(count), index.end()}; }

}  // namespace lowering
