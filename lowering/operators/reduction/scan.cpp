// Cumulative sums, products and logarithms of sums of exponentials.
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

/// In the dtype of sums; products on a CPU in f64, as ATen's: products of f32 overflow on the way to a 0.
ir::DType partialResults(const Context& c, ir::Op op, ir::DType dtype) {
  const bool isWide = op == ir::Op::Mul && ir::isFloating(dtype) && c.followsHost();
  return isWide ? ir::DType::F64 : accumulator(dtype);
}

/// `self`, converted to the result's dtype first, combined along `dim`.
template <ir::Op op>
Tensors along(Context& c) {
  const Tensor self = cast(c.tensor("self"), c.outputType().dtype);
  const Tensor x = cast(self, partialResults(c, op, self.dtype));
  const Dims dims = c.dims("dim", x.sizes.size());
  return asOutputs(c, {dims.empty() ? x : scan(c, op, x, dims.front())});
}
const Lowering cumsum{"aten::cumsum", along<ir::Op::Add>};
const Lowering cumprod{"aten::cumprod", along<ir::Op::Mul>};
const Lowering logcumsumexp{"aten::logcumsumexp", along<ir::Op::LogAddExp>};

}  // namespace
}  // namespace lowering
