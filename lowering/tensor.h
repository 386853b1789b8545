#pragma once

#include <functional>
#include <vector>

#include "ir/tensor_type.h"
#include "lowering/value.h"

namespace lowering {

/// One I64 value for each dimension.
using Index = std::vector<Value>;

/// A lazy tensor: its dtype and sizes, and how to compute the element at an index. Fusion is composition of these.
struct Tensor {
  ir::DType dtype;
  ir::Shape sizes;
  std::function<Value(const Index&)> at;
};

using Tensors = std::vector<Tensor>;

/// A lazy tensor whose elements are memoised by index, so that composition stays linear in the number of tensors.
Tensor lazy(ir::DType dtype, ir::Shape sizes, std::function<Value(const Index&)> at);
/// Sizes of two shapes broadcast against each other; an Internal error if they do not fit (ATen has accepted them).
ir::Shape broadcast(const ir::Shape& a, const ir::Shape& b);
/// The tensor as one of these sizes, dimensions aligned from the right, extents of 1 repeated.
Tensor expand(const Tensor& tensor, const ir::Shape& sizes);
/// The tensor with every element converted.
Tensor cast(const Tensor& tensor, ir::DType dtype);

}  // namespace lowering
