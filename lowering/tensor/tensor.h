#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ir/tensor_type.h"
#include "ir/value.h"

namespace lowering {

using ir::Value;

/// One I64 value for each dimension.
using Index = std::vector<Value>;

/// Values that elements of a tensor are combined with, one at each index of these sizes: several may meet in one element.
struct Scatter {
  std::optional<ir::Op> op = {};  ///< an isReduction one; none: a value replaces the element, of several values any one
  ir::Shape sizes;
  std::function<Index(const Index&)> place;  ///< the index of the element, never out of bounds
  std::function<Value(const Index&)> value;  ///< of the tensor's dtype, or of its opmath dtype
  bool mayRoundEach = false;                 ///< whether each sum may be rounded to the tensor's dtype, as eager's is
  bool isOfRows = false;                     ///< whether values that follow one another go to elements that do, row by row
};

/// A lazy tensor: its dtype and sizes, and how to compute the element at an index. Fusion is composition of these. A result that
/// is scattered to has these elements first.
struct Tensor {
  ir::DType dtype;
  ir::Shape sizes;
  std::function<Value(const Index&)> at;
  std::shared_ptr<const Scatter> scatter = {};
};

using Tensors = std::vector<Tensor>;

/// Dimensions of a tensor, ascending.
using Dims = std::vector<int64_t>;

/// A lazy tensor whose elements are memoised by index, so that composition stays linear in the number of tensors.
Tensor lazy(ir::DType dtype, ir::Shape sizes, std::function<Value(const Index&)> at);
/// An index of new axes.
Index newIndex(ir::ExprPool& pool, const ir::Shape& sizes);
/// The number of elements of a tensor of these sizes.
int64_t numelOf(const ir::Shape& sizes);
/// Sizes of two shapes broadcast against each other; an Internal error if they do not fit (ATen has accepted them).
ir::Shape broadcast(const ir::Shape& a, const ir::Shape& b);
/// The tensor as one of these sizes, dimensions aligned from the right, extents of 1 repeated.
Tensor expand(const Tensor& tensor, const ir::Shape& sizes);
/// The tensor with one more dimension there, of one element.
Tensor unsqueezed(const Tensor& tensor, std::size_t dim);
/// The tensor with every element converted.
Tensor cast(const Tensor& tensor, ir::DType dtype);
/// The same in the dtype that arithmetic on it is done in.
Tensor inOpmath(const Tensor& tensor);

/// `value` where a condition holds, else `other`. Where it does not hold, nothing is read that the value is made of, so that it
/// may be an element at any index.
Value readWhere(Value condition, Value value, Value other);

/// Where the element at an index of a tensor of this type lies.
Value offsetOf(ir::ExprPool& pool, const ir::TensorType& type, const Index& index);
/// The number of the element at an index, in the order of a tensor of these sizes; the index of the element of a number.
Value flattened(const Index& index, const ir::Shape& sizes);
Index unflattened(Value number, const ir::Shape& sizes);
/// The index of the same element where as many have other sizes, in their order.
Index reshaped(ir::ExprPool& pool, const Index& index, const ir::Shape& sizes, const ir::Shape& others);
/// The tensor's elements, in their order, as one of these sizes.
Tensor reshaped(ir::ExprPool& pool, const Tensor& tensor, const ir::Shape& sizes);

/// The same index in fewer operations (ir/index/simplify.h): what is read at it is then read at the axes alone, where it can be.
Value simplified(Value index);

/// `function` of the elements of the tensors, broadcast against each other: `map([](Value x, Value y) { return x - y; }, a, b)`.
/// The function yields the dtype of the first.
template <typename F, typename... T>
Tensor map(F function, const Tensor& first, const T&... rest) {
  ir::Shape sizes = first.sizes;
  ((sizes = broadcast(sizes, rest.sizes)), ...);
  return lazy(first.dtype, sizes, [=, a = expand(first, sizes), ... b = expand(rest, sizes)](const Index& index) {
    return function(a.at(index), b.at(index)...);
  });
}

/// A complex tensor as its pairs of reals, in one more dimension of 2.
ir::TensorType asReal(const ir::TensorType& type);

}  // namespace lowering
