#include "runtime/torch/float64_forms.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/stack.h>

#include "ir/error.h"

namespace runtime {
namespace {

/// The products of groups. Group i ends at offset i: in the rows of the first operand, in the columns of the second one, or in
/// the dimension that both are summed over. Without offsets each matrix is a group.
c10::IValue groupedProduct(const std::vector<c10::IValue>& arguments) {
  const at::Tensor a = arguments.at(0).toTensor(), b = arguments.at(1).toTensor();
  if (!arguments.at(3).isNone()) ir::fail(ir::ErrorKind::Unsupported, "aten._grouped_mm in float64 takes no bias");
  const bool isGroupedA = a.dim() == 2, isGroupedB = b.dim() == 2;
  if (!isGroupedA && !isGroupedB) return at::bmm(a, b);
  const at::Tensor offsets = arguments.at(2).toTensor().cpu().to(at::kLong);
  std::vector<at::Tensor> products;
  int64_t begin = 0;
  for (int64_t group = 0; group < offsets.numel(); ++group) {
    const int64_t end = offsets.const_data_ptr<int64_t>()[group];
    const at::Tensor left = !isGroupedA ? a.select(0, group) : a.slice(isGroupedB ? 1 : 0, begin, end);
    const at::Tensor right = !isGroupedB ? b.select(0, group) : b.slice(isGroupedA ? 0 : 1, begin, end);
    products.push_back(at::mm(left, right));
    begin = end;
  }
  if (isGroupedA && isGroupedB) return at::stack(products);
  return at::cat(products, isGroupedA ? 0 : 1);
}

}  // namespace

Float64Form float64FormOf(const std::string& op) { return op == "aten._grouped_mm.default" ? groupedProduct : nullptr; }

}  // namespace runtime
