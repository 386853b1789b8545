#include "lowering/tensor/tensor.h"

#include <algorithm>
#include <map>
#include <memory>

#include "ir/error.h"
#include "ir/index/simplify.h"

namespace lowering {

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

Tensor cast(const Tensor& tensor, ir::DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  return {dtype, tensor.sizes, [tensor, dtype](const Index& index) { return cast(tensor.at(index), dtype); }};
}

Value simplified(Value index) { return {index.pool(), ir::simplify(index.pool(), index.expr())}; }

Tensor inOpmath(const Tensor& tensor) { return cast(tensor, ir::opmath(tensor.dtype)); }

}  // namespace lowering
