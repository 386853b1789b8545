// Cumulative sums, products and logarithms of sums of exponentials.
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

/// `self`, converted to the result's dtype first, combined along `dim` in the dtype of sums.
template <ir::Op op>
Tensors along(Context& c) {
  const Tensor self = cast(c.tensor("self"), c.outputType().dtype);
  const Tensor x = cast(self, accumulator(self.dtype));
  const Dims dims = c.dims("dim", x.sizes.size());
  return asOutputs(c, {dims.empty() ? x : scan(c, op, x, dims.front())});
}
const Lowering cumsum{"aten::cumsum", along<ir::Op::Add>};
const Lowering cumprod{"aten::cumprod", along<ir::Op::Mul>};
const Lowering logcumsumexp{"aten::logcumsumexp", along<ir::Op::LogAddExp>};

}  // namespace
}  // namespace lowering
