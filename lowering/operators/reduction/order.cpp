// Elements at a place in the order of short rows, the rows in order, and the extremes so far.
#include "lowering/operators/reduction/order.h"

#include "ir/error.h"
#include "lowering/tensor/places.h"
#include "lowering/tensor/reduce.h"

namespace lowering {

Value comesBefore(const Value& a, const Value& b) { return ir::isFloating(a.dtype()) ? (a < b) | (!isNan(a) & isNan(b)) : a < b; }

Value isEqual(const Value& a, const Value& b) { return ir::isFloating(a.dtype()) ? (a == b) | (isNan(a) & isNan(b)) : a == b; }

namespace {

using ir::DType;

/// Each element of a row is compared with every other one. A CPU sorts longer rows sooner, and a GPU where there are more
/// comparisons in all: an H200 takes 14 us for 2,048 rows of 64 halves and 29 for rows of 128, ATen there 19 for either.
constexpr int64_t mostCompared = 128, mostSortedOnHost = 64, mostComparisons = int64_t{1} << 24;

/// Rows along one dimension.
struct Rows {
  Rows(const Tensor& all, int64_t along) : x(all), dim(along) {
    if (x.dtype == DType::Bool) x = cast(x, DType::I64);
    if (extent() > mostCompared) ir::fail(ir::ErrorKind::Unsupported, "the order of {} elements is not lowered", extent());
  }
  int64_t extent() const { return x.sizes[static_cast<std::size_t>(dim)]; }

  /// A value for each element and each one of its row, by their indices, combined over the row.
  Tensor overRow(Context& c, ir::Op op, DType dtype,
                 const std::function<Value(const Index& own, const Index& other)>& value) const {
    ir::Shape pairs = x.sizes;
    pairs.push_back(extent());
    const Tensor each = lazy(dtype, pairs, [value, d = static_cast<std::size_t>(dim)](const Index& pair) {
      const Index own(pair.begin(), pair.end() - 1);
      Index other = own;
      other[d] = pair.back();
      return value(own, other);
    });
    const auto last = static_cast<int64_t>(x.sizes.size());
    return squeeze(c, reduce(c, op, each, {last}), {last});
  }
  /// How many elements of its row come before each: all lesser ones, or all greater ones, and equal ones at earlier places.
  Tensor ranks(Context& c, bool isDescending = false) const {
    const auto comes = [x = x, d = static_cast<std::size_t>(dim), isDescending](const Index& own, const Index& other) {
      const Value a = x.at(other), b = x.at(own), isEarlier = other[d] < own[d];
      return cast((isDescending ? comesBefore(b, a) : comesBefore(a, b)) | (isEqual(a, b) & isEarlier), DType::I32);
    };
    return overRow(c, ir::Op::Add, DType::I32, comes);
  }
  /// How many are numbers.
  Tensor numbers(Context& c) const {
    const auto isNumber = [](Value x) { return cast(ir::isFloating(x.dtype()) ? !isNan(x) : x == x, DType::I64); };
    return sum(c, lazy(DType::I64, x.sizes, [x = x, isNumber](const Index& at) { return isNumber(x.at(at)); }), {dim});
  }
  /// The element of each row that has a rank, and its place.
  Tensors elementOfRank(Context& c, const Tensor& rank) const {
    const Tensor ranks = this->ranks(c), wanted = cast(expand(rank, x.sizes), DType::I32);
    const Tensor chosen = lazy(x.dtype, x.sizes, [x = x, ranks, wanted](const Index& at) {
      const Value element = x.at(at), least{element.pool(), element.pool().identity(ir::Op::Max, element.dtype())};
      return where(ranks.at(at) == wanted.at(at), element, least);
    });
    const Tensor places = lazy(DType::I64, x.sizes, [ranks, wanted, d = static_cast<std::size_t>(dim)](const Index& at) {
      return where(ranks.at(at) == wanted.at(at), at[d], 0);
    });
    return {amax(c, chosen, {dim}), sum(c, places, {dim})};
  }

  Tensor x;
  int64_t dim;
};

/// The call's rows: along `dim`, or all elements as one.
Rows rowsOf(const Context& c) {
  const Tensor self = inOpmath(c.tensor("self"));
  if (!c.has("dim") || self.sizes.empty()) return {reshaped(c.pool(), self, {numelOf(self.sizes)}), 0};
  return {self, c.dim("dim", self.sizes.size())};
}
/// Values and places in the sizes of the call's outputs.
Tensors shapedAsOutputs(const Context& c, Tensors found) {
  found.resize(static_cast<std::size_t>(c.outputCount()));
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = reshaped(c.pool(), found[i], c.outputType(static_cast<int>(i)).sizes);
  return asOutputs(c, found);
}

/// The lower one of the two in the middle: of numbers alone, or NaN where one is among them.
template <bool ofNumbers>
Tensors median(Context& c) {
  const Rows rows = rowsOf(c);
  const auto middle = [n = rows.extent()](Value numbers) {
    const Value rank = max(floorDiv(numbers - 1, 2), 0);
    return ofNumbers ? rank : where(numbers < n, numbers, rank);
  };
  return shapedAsOutputs(c, rows.elementOfRank(c, map(middle, rows.numbers(c))));
}
Tensors kthValue(Context& c) {
  const Rows rows = rowsOf(c);
  const Value rank{c.pool(), c.pool().integer(DType::I64, c.integer("k") - 1)};
  const ir::TensorType ofRanks = ir::TensorType::contiguous(DType::I64, ir::Shape(rows.x.sizes.size(), 1));
  return shapedAsOutputs(c, rows.elementOfRank(c, constant(ofRanks, rank)));
}
const Lowering medianOf{"aten::median", median<false>};
const Lowering nanmedian{"aten::nanmedian", median<true>};
const Lowering kthvalue{"aten::kthvalue", kthValue};

/// For each rank the place of the element that has it.
Tensors sorted(Context& c) {
  const Rows rows = rowsOf(c);
  const bool isLong =
      c.followsHost() ? rows.extent() > mostSortedOnHost : numelOf(rows.x.sizes) * rows.extent() > mostComparisons;
  if (isLong) ir::fail(ir::ErrorKind::Unsupported, "ATen sorts {} elements sooner", rows.extent());
  const auto d = static_cast<std::size_t>(rows.dim);
  const Tensor ranks = c.stored(rows.ranks(c, c.flag("descending")));
  const Tensor place = rows.overRow(c, ir::Op::Max, DType::I32, [ranks, d](const Index& own, const Index& other) {
    return where(ranks.at(other) == cast(own[d], DType::I32), cast(other[d], DType::I32), 0);
  });
  const Tensor value = lazy(rows.x.dtype, rows.x.sizes, [x = rows.x, place, d](const Index& at) {
    Index other = at;
    other[d] = placeOf(cast(place.at(at), DType::I64), x.sizes[d]).at;
    return x.at(other);
  });
  return shapedAsOutputs(c, {value, place});
}
const Lowering sort{"aten::sort", sorted};

/// For each element the extreme of those up to it, and the last place of it, or of a NaN.
template <ir::Op op>
Tensors extremesSoFar(Context& c) {
  const Rows rows = rowsOf(c);
  const Tensor& x = rows.x;
  const auto d = static_cast<std::size_t>(rows.dim);
  const Tensor extreme = rows.overRow(c, op, x.dtype, [x, d](const Index& own, const Index& other) {
    const Value element = x.at(other), least{element.pool(), element.pool().identity(op, element.dtype())};
    return where(other[d] <= own[d], element, least);
  });
  const Tensor place = rows.overRow(c, ir::Op::Max, DType::I64, [x, extreme, d](const Index& own, const Index& other) {
    const Value element = x.at(other), isExtreme = element == extreme.at(own);
    const Value isChosen = ir::isFloating(element.dtype()) ? isExtreme | isNan(element) : isExtreme;
    return where((other[d] <= own[d]) & isChosen, other[d], 0);
  });
  return shapedAsOutputs(c, {extreme, place});
}
const Lowering cummax{"aten::cummax", extremesSoFar<ir::Op::Max>};
const Lowering cummin{"aten::cummin", extremesSoFar<ir::Op::Min>};

}  // namespace
}  // namespace lowering
