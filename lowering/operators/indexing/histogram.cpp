// Counts of elements by the bin that they lie in.
#include "ir/error.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

/// Bins of one width from `min` to `max`, which belongs to the last one; elements outside of them, and NaN, do not count.
Tensors histogram(Context& c) {
  if (!(c.number("min") < c.number("max")))
    ir::fail(ir::ErrorKind::Unsupported, "a histogram from the least element to the largest is not lowered");
  const Tensor self = asVector(c.tensor("self"));
  const int64_t bins = c.integer("bins");
  const Value least = c.constant("min", self.dtype), most = c.constant("max", self.dtype);
  const auto element = [=](const Index& at) {
    const Value x = self.at(at), isInside = (x >= least) & (x <= most);
    const Value place = (where(isInside, x, least) - least) * static_cast<double>(bins) / (most - least);
    return Element{{min(cast(place, ir::DType::I64), bins - 1)}, isInside};
  };
  const auto one = [value = least.like(1)](const Index&) { return value; };
  return {scatteredTo(c, ir::Op::Add, zeros(c), self.sizes, element, one)};
}

const Lowering histc{"aten::histc", histogram};

}  // namespace
}  // namespace lowering
