#include "lowering/row_windows.h"

namespace lowering {

using ir::Expr;

RowWindows::RowWindows(const NestKernel& kernel, const RowTiling& tiling) : kernel_(kernel), tiling_(tiling) {
  for (const std::vector<Access>* accesses : {&kernel.domain().stores(), &kernel.domain().loads()})
    for (const Access& access : *accesses)
      if (isRowAccess(kernel.domain(), access)) first_ = &access;
}

Value RowWindows::runStart(const Access& access, Position position) const {
  position.resize(kernel_.domain().dims().size(), kernel_.number(0).expr());
  position.back() = kernel_.number(0).expr();
  return {pool(), kernel_.domain().offset(access, position)};
}

Value RowWindows::shift(const Position& position) const {
  // Steps of whole vectors do not change it.
  const int lanes = tiling_.lanes;
  Value start = kernel_.number(first_->form->constant % lanes);
  for (std::size_t d = 0; d < kernel_.domain().innermost(); ++d) {
    const int64_t stride = kernel_.domain().stride(*first_, d) % lanes;
    start = start + Value{pool(), position[d]} * kernel_.number(stride);
  }
  return mod(start, double(lanes));
}

Value RowWindows::clamped(Value lane, const Position& position) const {
  return min(max(lane - shift(position), 0.0), extent() - 1);
}

Value RowWindows::begins(Value start, const Position& position) const { return start < shift(position) + extent(); }

bool RowWindows::endsAreRare() const {
  constexpr int64_t longRun = 256;  // vectors
  return tiling_.runVectors >= longRun;
}

Value RowWindows::isInside(const LanePlace& at) const {
  const Value lane = Value{pool(), at.base.back()} + Value{pool(), at.lane};
  const Value begin = shift(at.base);
  return (begin <= lane) & (lane < begin + extent());
}

Value RowWindows::isWhole(const LanePlace& at) const {
  const Value start{pool(), at.base.back()}, begin = shift(at.base);
  return (begin <= start) & (start + double(tiling_.lanes) <= begin + extent());
}

const Expr* RowWindows::offset(const Access& access, const LanePlace& at) const {
  // Written as multiples of the vector, by which the compiler sees that it is aligned.
  const auto lanes = static_cast<double>(tiling_.lanes);
  return (floorDiv(runStart(access, at.base), lanes) * lanes + Value{pool(), at.base.back()}).expr();
}

ir::Block RowWindows::reductions(ir::Lanes lanes, const LanePlace& at) const {
  ir::Lanes part = lanes;
  for (ir::Store& store : part.stores) {
    const Value value{pool(), store.value};
    const Value left{pool(), pool().neutral(*store.accumulate, value.dtype())};
    store.value = where(isInside(at), value, left).expr();
  }
  if (!endsAreRare()) return {{std::move(part)}};
  return {{ir::If{isWhole(at).expr(), {{std::move(lanes)}}, {{std::move(part)}}}}};
}

ir::Block RowWindows::stores(ir::Lanes lanes, const LanePlace& at, const std::vector<int>& results) const {
  const std::vector<Access>& accesses = kernel_.domain().stores();
  ir::Lanes whole = lanes;
  for (std::size_t i = 0, row = 0; i < lanes.stores.size(); ++i) {
    const Access& access = accesses[kernel_.nest().rowStores.size() + i];
    if (!isRowAccess(kernel_.domain(), access)) continue;
    ir::Store &value = lanes.stores[i], &result = whole.stores[i];
    result.contiguous = value.contiguous = true;
    result.offset = offset(access, at);
    if (endsAreRare()) continue;
    value.param = results[row++];
    value.offset = kernel_.number(0).expr();
    result.value = pool().load(value.param, value.value->dtype, value.offset, ir::LoadMode::Contiguous);
  }
  const Value start{pool(), at.base.back()}, begin = shift(at.base);
  ir::Lanes part = whole;
  part.first = max(begin - start, 0.0).expr();
  part.active = min(begin + extent() - start, double(tiling_.lanes)).expr();
  ir::Block block;
  if (!endsAreRare()) block.push_back({std::move(lanes)});
  block.push_back({ir::If{isWhole(at).expr(), {{std::move(whole)}}, {{std::move(part)}}}});
  return block;
}

}  // namespace lowering
