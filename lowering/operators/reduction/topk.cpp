// The first elements of rows in their order, chosen one after the other.
#include <algorithm>
#include <optional>

#include "ir/error.h"
#include "lowering/operators/reduction/order.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

using ir::DType;

/// Each one that is chosen costs two reductions of its row, which is held meanwhile. A CPU sorts parts of longer rows sooner.
constexpr int64_t mostChosen = 16, longestRow = 4096, mostComparedOnHost = 1024;

/// An element of each row, and its place.
struct Chosen {
  Tensor value, place;
};

/// Rows along a dimension, from their largest elements down, or from their smallest ones up.
struct Selection {
  Tensor x;
  int64_t dim;
  bool isFromLargest;

  int64_t extent() const { return x.sizes[static_cast<std::size_t>(dim)]; }
  /// Whether a NaN may be chosen where no number is left. From the largest down it comes before all numbers.
  bool endsWithNan() const { return !isFromLargest && ir::isFloating(x.dtype); }
  Value placeOf(const Index& at) const { return cast(at[static_cast<std::size_t>(dim)], DType::I32); }

  /// Whether an element comes after the one chosen last: beyond it, or equal to it at a later place.
  Value isLeft(const Chosen& last, const Index& at) const {
    const Value element = x.at(at), value = last.value.at(at);
    const Value isBeyond = isFromLargest ? comesBefore(element, value) : comesBefore(value, element);
    return isBeyond | (isEqual(element, value) & (placeOf(at) > last.place.at(at)));
  }
  /// Something of each element that is left, and of the others what does not count.
  Tensor ofLeft(const std::optional<Chosen>& last, DType dtype, const std::function<Value(const Index&)>& value,
                const std::function<Value(const Index&)>& none) const {
    return lazy(dtype, x.sizes, [*this, last, value, none](const Index& at) {
      return last ? where(isLeft(*last, at), value(at), none(at)) : value(at);
    });
  }
  /// The first of the elements that are left. Where only NaN are left the smallest one is a NaN: a NaN's place counts on from
  /// the places of numbers.
  Chosen next(Context& c, const std::optional<Chosen>& last) const {
    const ir::Op op = isFromLargest ? ir::Op::Max : ir::Op::Min;
    const auto none = [x = x, op](const Index& at) {
      const Value element = x.at(at);
      return Value{element.pool(), element.pool().identity(op, element.dtype())};
    };
    const auto number = [*this, none](const Index& at) {
      const Value element = x.at(at);
      return endsWithNan() ? where(isNan(element), none(at), element) : element;
    };
    const Tensor extreme = reduce(c, op, ofLeft(last, x.dtype, number, none), {dim});

    const Value end{c.pool(), c.pool().integer(DType::I32, 2 * extent())};
    const auto place = [*this, extreme, end](const Index& at) {
      const Value element = x.at(at), sought = extreme.at(at);
      if (!endsWithNan()) return where(isEqual(element, sought), placeOf(at), end);
      return where(isNan(element), placeOf(at) + extent(), where(element == sought, placeOf(at), end));
    };
    const Tensor first = reduce(c, ir::Op::Min, ofLeft(last, DType::I32, place, [end](const Index&) { return end; }), {dim});
    if (!endsWithNan()) return {extreme, first};
    const Tensor value = map([n = extent()](Value extreme, Value place) { return where(place < n, extreme, std::nan("")); },  //
                             extreme, first);
    return {value, map([n = extent()](Value place) { return where(place < n, place, place - n); }, first)};
  }
};

Tensors topk(Context& c) {
  Tensor x = inOpmath(c.tensor("self"));
  if (x.dtype == DType::Bool) x = cast(x, DType::I64);
  if (x.sizes.empty()) x = unsqueezed(x, 0);
  const int64_t dim = c.dim("dim", x.sizes.size()), count = c.integer("k");
  const Selection rows{x, dim, c.flag("largest")};
  const bool isLong = c.followsHost() ? count * rows.extent() > mostComparedOnHost : rows.extent() > longestRow;
  if (count < 1 || count > mostChosen || isLong)
    ir::fail(ir::ErrorKind::Unsupported, "the first {} of {} elements are not chosen one by one", count, rows.extent());

  std::vector<Chosen> chosen;
  for (int64_t i = 0; i < count; ++i) chosen.push_back(rows.next(c, i == 0 ? std::optional<Chosen>() : chosen.back()));
  const auto ofEach = [&](DType dtype, Tensor Chosen::* member) {
    return lazy(dtype, c.outputType().sizes, [=, &pool = c.pool()](Index at) {
      Value rank{pool, pool.integer(DType::I64, 0)};
      if (at.empty()) at = {rank};
      rank = at[static_cast<std::size_t>(dim)];
      Value found = (chosen.front().*member).at(at);
      for (std::size_t i = 1; i < chosen.size(); ++i)
        found = where(rank == static_cast<int64_t>(i), (chosen[i].*member).at(at), found);
      return found;
    });
  };
  return asOutputs(c, {ofEach(x.dtype, &Chosen::value), ofEach(DType::I32, &Chosen::place)});
}
const Lowering topkOf{"aten::topk", topk};

}  // namespace
}  // namespace lowering
