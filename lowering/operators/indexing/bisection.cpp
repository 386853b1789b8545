#include "lowering/operators/indexing/bisection.h"

#include <bit>

namespace lowering {

Value bisected(ir::ExprPool& pool, int64_t count, const std::function<Value(Value place)>& isBefore) {
  Value begin{pool, pool.integer(ir::DType::I64, 0)}, end{pool, pool.integer(ir::DType::I64, count)};
  for (int steps = std::bit_width(static_cast<uint64_t>(count)); steps > 0; --steps) {
    const Value middle = begin + floorDiv(end - begin, 2);
    const Value goesOn = (begin < end) & isBefore(min(middle, count - 1));
    end = where(goesOn, end, middle);
    begin = where(goesOn, middle + 1, begin);
  }
  return begin;
}

Value countUpTo(const Tensor& sequence, Value value) {
  return bisected(value.pool(), sequence.sizes.at(0),
                  [&](Value place) { return cast(sequence.at({place}), value.dtype()) <= value; });
}

}  // namespace lowering
