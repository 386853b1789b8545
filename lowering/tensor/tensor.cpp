#include "lowering/tensor/tensor.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "ir/error.h"
#include "ir/index/simplify.h"
#include "ir/walk.h"

namespace lowering {

Index newIndex(ir::ExprPool& pool, const ir::Shape& sizes) {
  Index index;
  for (const int64_t extent : sizes) index.emplace_back(pool, pool.axis(extent));
  return index;
}

int64_t numelOf(const ir::Shape& sizes) { return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>()); }

ir::Shape broadcast(const ir::Shape& a, const ir::Shape& b) {
  ir::Shape result(std::max(a.size(), b.size()), 1);
  for (std::size_t back = 1; back <= result.size(); ++back) {
    const int64_t x = back <= a.size() ? a[a.size() - back] : 1;
    const int64_t y = back <= b.size() ? b[b.size() - back] : 1;
    ir::require(x == y || x == 1 || y == 1, "cannot broadcast extents {} and {}, {} from the last dimension", x, y, back - 1);
    result[result.size() - back] = x == 1 ? y : x;
  }
  return result;
}

Tensor lazy(ir::DType dtype, ir::Shape sizes, std::function<Value(const Index&)> at) {
  struct Memo {
    std::function<Value(const Index&)> at;
    std::map<std::vector<const ir::Expr*>, Value> known;
  };
  // Shared, so that copying a tensor does not copy the tensors it is computed from.
  const auto memo = std::make_shared<Memo>(Memo{std::move(at), {}});
  return {dtype, std::move(sizes), [memo](const Index& index) {
            std::vector<const ir::Expr*> key;
            for (const Value& i : index) key.push_back(i.expr());
            if (const auto found = memo->known.find(key); found != memo->known.end()) return found->second;
            const Value value = memo->at(index);
            memo->known.emplace(std::move(key), value);
            return value;
          }};
}

Tensor expand(const Tensor& tensor, const ir::Shape& sizes) {
  if (tensor.sizes == sizes) return tensor;
  ir::require(tensor.sizes.size() <= sizes.size(), "cannot expand {} dimensions to {}", tensor.sizes.size(), sizes.size());
  return {tensor.dtype, sizes, [tensor, skip = sizes.size() - tensor.sizes.size()](const Index& index) {
            Index inner(index.begin() + static_cast<std::ptrdiff_t>(skip), index.end());
            for (std::size_t d = 0; d < inner.size(); ++d) {
              if (tensor.sizes[d] == 1) inner[d] = inner[d].like(0);
            }
            return tensor.at(inner);
          }};
}

Tensor unsqueezed(const Tensor& tensor, std::size_t dim) {
  ir::Shape sizes = tensor.sizes;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(dim), 1);
  return {tensor.dtype, sizes, [tensor, dim](Index index) {
            index.erase(index.begin() + static_cast<std::ptrdiff_t>(dim));
            return tensor.at(index);
          }};
}

Tensor cast(const Tensor& tensor, ir::DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  return {dtype, tensor.sizes, [tensor, dtype](const Index& index) { return cast(tensor.at(index), dtype); }};
}

namespace {

using ir::Expr;

/// An expression whose loads read only where a condition holds, but for loads that the condition needs anyway.
const Expr* guarded(Value condition, const Expr* expr);

/// A load that reads only where a condition holds, and is `other` elsewhere.
const Expr* guardedLoad(Value condition, const Expr* load, Value other) {
  ir::ExprPool& pool = condition.pool();
  const auto operand = [&](std::size_t i) { return Value{pool, guarded(condition, load->src[i])}; };
  const Value mask = load->isMasked() ? condition & operand(1) : condition;
  const Value otherwise = load->isMasked() ? where(condition, operand(2), other) : other;
  return pool.load(load->load().buffer, operand(0).expr(), mask.expr(), otherwise.expr(), load->load().mode);
}

const Expr* guarded(Value condition, const Expr* expr) {
  ir::ExprPool& pool = condition.pool();
  const std::vector<const Expr*> known = ir::loadsIn({condition.expr()});
  return ir::rewrite(pool, expr, [&](const Expr* node) -> const Expr* {
    if (node->op != ir::Op::Load) return nullptr;
    if (std::find(known.begin(), known.end(), node) != known.end()) return node;
    return guardedLoad(condition, node, {pool, pool.integer(node->dtype, 0)});
  });
}

}  // namespace

Value readWhere(Value condition, Value value, Value other) {
  ir::ExprPool& pool = value.pool();
  if (value.expr()->op == ir::Op::Cast && other.expr()->isConst()) {
    const Value source{pool, value.expr()->src[0]}, constant = cast(other, source.dtype());
    if (cast(constant, other.dtype()).expr() == other.expr()) return cast(readWhere(condition, source, constant), value.dtype());
  }
  if (value.expr()->op == ir::Op::Load && other.expr()->isConst()) return {pool, guardedLoad(condition, value.expr(), other)};
  return where(condition, {pool, guarded(condition, value.expr())}, other);
}

Value offsetOf(ir::ExprPool& pool, const ir::TensorType& type, const Index& index) {
  Value offset{pool, pool.integer(ir::DType::I64, 0)};
  for (std::size_t d = 0; d < index.size(); ++d)
    offset = offset + index[d] * Value{pool, pool.integer(ir::DType::I64, type.strides[d])};
  return offset;
}

Value flattened(const Index& index, const ir::Shape& sizes) {
  Value number = index.front();
  for (std::size_t d = 1; d < sizes.size(); ++d) number = number * sizes[d] + index[d];
  return number;
}

Index unflattened(Value number, const ir::Shape& sizes) {
  Index index(sizes.size(), number);
  for (std::size_t d = sizes.size(); d-- > 0;) {
    index[d] = d == 0 ? number : mod(number, sizes[d]);
    number = floorDiv(number, sizes[d]);
  }
  return index;
}

Index reshaped(ir::ExprPool& pool, const Index& index, const ir::Shape& sizes, const ir::Shape& others) {
  return unflattened(index.empty() ? Value{pool, pool.integer(ir::DType::I64, 0)} : flattened(index, sizes), others);
}

Tensor reshaped(ir::ExprPool& pool, const Tensor& tensor, const ir::Shape& sizes) {
  if (tensor.sizes == sizes) return tensor;
  return lazy(tensor.dtype, sizes,
              [&pool, tensor, sizes](const Index& index) { return tensor.at(reshaped(pool, index, sizes, tensor.sizes)); });
}

Value simplified(Value index) { return {index.pool(), ir::simplify(index.pool(), index.expr())}; }

Tensor inOpmath(const Tensor& tensor) { return cast(tensor, ir::opmath(tensor.dtype)); }

ir::TensorType asReal(const ir::TensorType& type) {
  if (!ir::isComplex(type.dtype)) return type;
  ir::TensorType real = type;
  real.dtype = type.dtype == ir::DType::C32 ? ir::DType::F16 : type.dtype == ir::DType::C64 ? ir::DType::F32 : ir::DType::F64;
  for (int64_t& stride : real.strides) stride *= 2;
  real.sizes.push_back(2);
  real.strides.push_back(1);
  return real;
}

}  // namespace lowering
