#include "runtime/compare/order.h"

#include <algorithm>
#include <numeric>

namespace runtime {

std::vector<int64_t> memoryOrder(const at::Tensor& tensor) {
  std::vector<int64_t> order(static_cast<std::size_t>(tensor.dim()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return tensor.stride(a) > tensor.stride(b); });
  return order;
}

at::Tensor head(const at::Tensor& tensor, const at::Tensor& like, int64_t elements) {
  const at::Tensor flat = tensor.permute(memoryOrder(like)).reshape({-1});
  return flat.narrow(0, 0, std::min(elements, flat.numel()));
}

}  // namespace runtime
