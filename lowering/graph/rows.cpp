#include "lowering/graph/rows.h"

namespace lowering {

std::optional<ir::GraphValue> Rows::place(const ir::GraphValue& value) const {
  ir::GraphValue placed = value;
  ir::TensorType& type = placed.type;
  int64_t last = value.offset % old_;
  for (size_t dim = 0; dim < type.sizes.size(); ++dim) {
    if (type.sizes[dim] > 1) last += (type.sizes[dim] - 1) * (type.strides[dim] % old_);
    type.strides[dim] = moved(type.strides[dim]);
  }
  if (last >= old_) return std::nullopt;
  placed.offset = moved(value.offset);
  return placed;
}

}  // namespace lowering
