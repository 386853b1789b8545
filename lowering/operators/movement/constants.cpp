// New tensors that are one number everywhere.
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

template <int number>
Tensors numberEverywhere(Context& c) {
  return {constant(c.outputType(), {c.pool(), c.pool().integer(c.outputType().dtype, number)})};
}
Tensors argumentEverywhere(Context& c, const char* name) {
  return {constant(c.outputType(), c.constant(name, c.outputType().dtype))};
}
Tensors valueEverywhere(Context& c) { return argumentEverywhere(c, "fill_value"); }

const Lowering zerosOfSizes{"aten::zeros", numberEverywhere<0>};
const Lowering newZeros{"aten::new_zeros", numberEverywhere<0>};
const Lowering zerosLike{"aten::zeros_like", numberEverywhere<0>};
const Lowering zero{"aten::zero", numberEverywhere<0>};
const Lowering onesOfSizes{"aten::ones", numberEverywhere<1>};
const Lowering newOnes{"aten::new_ones", numberEverywhere<1>};
const Lowering onesLike{"aten::ones_like", numberEverywhere<1>};
const Lowering fullOfSizes{"aten::full", valueEverywhere};
const Lowering newFull{"aten::new_full", valueEverywhere};
const Lowering fullLike{"aten::full_like", valueEverywhere};
const Lowering scalarTensor{"aten::scalar_tensor", [](Context& c) { return argumentEverywhere(c, "s"); }};

}  // namespace
}  // namespace lowering
