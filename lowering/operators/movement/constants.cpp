// New tensors that are one number everywhere.
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

template <int number>
Tensors numberEverywhere(Context& c) {
  return {constant(c.outputType(), {c.pool(), c.pool().integer(c.outputType().dtype, number)})};
}
Tensors valueEverywhere(Context& c) { return {constant(c.outputType(), c.constant("fill_value", c.outputType().dtype))}; }

const Lowering newZeros{"aten::new_zeros", numberEverywhere<0>};
const Lowering zerosLike{"aten::zeros_like", numberEverywhere<0>};
const Lowering zero{"aten::zero", numberEverywhere<0>};
const Lowering newOnes{"aten::new_ones", numberEverywhere<1>};
const Lowering onesLike{"aten::ones_like", numberEverywhere<1>};
const Lowering newFull{"aten::new_full", valueEverywhere};
const Lowering fullLike{"aten::full_like", valueEverywhere};

}  // namespace
}  // namespace lowering
