// Padding with a constant.
#include "lowering/tensor/lowering.h"

namespace lowering {
namespace {

/// Pairs of extents that are added before and after the dimensions, the last one's first; negative ones cut elements off.
Tensors constantPad(Context& c) {
  const Tensor self = c.tensor("self");
  const std::vector<int64_t> pad = c.integers("pad");
  const Value other = c.constant("value", self.dtype);
  ir::Shape sizes = self.sizes, before(self.sizes.size(), 0);
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const std::size_t dim = sizes.size() - 1 - i;
    before[dim] = pad[2 * i];
    sizes[dim] += pad[2 * i] + pad[2 * i + 1];
  }
  return {lazy(self.dtype, sizes, [self, other, before](const Index& index) {
    Index place;
    Value isInside{other.pool(), other.pool().integer(ir::DType::Bool, 1)};
    for (std::size_t d = 0; d < index.size(); ++d) {
      place.push_back(index[d] - before[d]);
      isInside = isInside & (index[d] >= before[d]) & (index[d] < before[d] + self.sizes[d]);
    }
    return readWhere(isInside, self.at(place), other);
  })};
}

const Lowering constantPadOf{"aten::constant_pad_nd", constantPad};

}  // namespace
}  // namespace lowering
