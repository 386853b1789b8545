#include "ir/kernel.h"

#include <algorithm>
#include <bit>

#include "ir/target.h"

namespace ir {

int64_t Param::readableElements(Backend backend) const {
  const int64_t elements = buffer.type.storageElements();
  if (backend == Backend::Cpu) return elements;
  const int64_t granule = std::max<int64_t>(1, std::min(alignment, cudaAlignment) / sizeOf(buffer.type.dtype));
  return (elements + granule - 1) / granule * granule;
}

int64_t ctasOf(const Kernel& kernel, int64_t elements) {
  const int64_t most = kernel.list->count->axis().extent - 1;
  const int64_t each = most / kernel.launch.grid;
  return (elements + each - 1) / each;
}

int64_t ctasOf(const Kernel& kernel) {
  int64_t ctas = 0;
  for (const int64_t elements : kernel.list->elements) ctas += ctasOf(kernel, elements);
  return ctas;
}

Partials partialsOf(const Launch& launch, const Combine& combine) {
  const int groups = launch.block / combine.threads;
  if (launch.isPersistent && combine.ctas > 1) return {1, combine.ctas, groups};
  const int units = std::max(1, combine.threads * combine.stride / Target::warp);
  return {units, units * combine.ctas, groups};
}

const Expr* transposedPlace(ExprPool& pool, const Expr* lane, int64_t side) {
  const Expr* rows = pool.integer(DType::I64, side);
  const Expr* inColumn = pool.make(Op::Mul, {pool.make(Op::Mod, {lane, rows}), rows});
  return pool.make(Op::Add, {inColumn, pool.make(Op::FloorDiv, {lane, rows})});
}

int transposedSide(const Kernel& kernel, const Lanes& lanes) {
  if (lanes.stores.size() != 1 || lanes.active != nullptr || lanes.first != nullptr) return 0;
  const Store& store = lanes.stores.front();
  const Local* array = kernel.local(store.param);
  const bool isRead = store.value->op == Op::Load && !store.value->isMasked() && store.value->load() == LoadInfo{store.param};
  const bool isStored = store.contiguous && !store.accumulate && store.offset->isConst() && store.offset->integer() == 0;
  if (array == nullptr || array->space != Space::Private || !isRead || !isStored) return 0;
  const auto width = static_cast<uint64_t>(lanes.axis->axis().extent);
  const uint64_t side = uint64_t{1} << (std::bit_width(width) / 2);
  if (side * side != width || side == 1) return 0;
  const bool isPlace = store.value->src[0] == transposedPlace(*kernel.pool, lanes.axis, static_cast<int64_t>(side));
  return isPlace ? static_cast<int>(side) : 0;
}

int copiedBytes(const Kernel& kernel, const Lanes& lanes) {
  if (lanes.stores.size() != 1 || lanes.active != nullptr || lanes.first != nullptr) return 0;
  const Store& store = lanes.stores.front();
  const Local* to = kernel.local(store.param);
  const bool isRead = store.value->op == Op::Load && !store.value->isMasked() && store.value->load().mode == LoadMode::Contiguous;
  if (to == nullptr || to->space != Space::Shared || !store.contiguous || store.accumulate || !isRead) return 0;
  const int from = store.value->load().buffer;
  if (kernel.local(from) != nullptr || kernel.params[from].buffer.isWritten) return 0;
  const int64_t bytes = lanes.axis->axis().extent * sizeOf(store.value->dtype);
  const bool isWhole = bytes == 4 || bytes == 8 || bytes == 16;
  return isWhole && bytes <= kernel.params[from].alignment ? static_cast<int>(bytes) : 0;
}

bool waitsForGrid(const Kernel& kernel) { return std::count_if(kernel.body.begin(), kernel.body.end(), isGridLoop) > 1; }

}  // namespace ir
