#include "lowering/analysis/elementwise.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;

bool isZero(const Expr* offset) { return offset->isConst() && offset->integer() == 0; }

/// Whether a buffer is accessed at each of its elements, in the order in which they lie, where it is at one offset for each
/// point.
bool isDense(const ir::Buffer& buffer, int64_t points) {
  return buffer.type.numel() == points && buffer.type.storageElements() == points && !buffer.isPart;
}

}  // namespace

int64_t pointsOf(const ir::Loops& loops) {
  return std::accumulate(loops.axes.begin(), loops.axes.end(), int64_t{1},
                         [](int64_t points, const Expr* axis) { return points * axis->axis().extent; });
}

std::optional<ir::Loops> flattened(const ir::Loops& loops, int64_t elements) {
  const int64_t points = pointsOf(loops);
  if (points == 0 || loops.stores.empty()) return std::nullopt;
  const Expr* place = loops.stores.front().offset;
  const auto isEach = [&](int buffer, const Expr* offset) {
    return offset == place && isDense(loops.buffers[static_cast<std::size_t>(buffer)], points);
  };
  ir::Loops flat = loops;
  const Expr* axis = loops.pool->axis(elements);
  flat.axes = {axis};
  bool isFlat = true;
  const auto moved = [&](const Expr* node) -> const Expr* {
    isFlat = isFlat && !node->isCombining();
    if (node->op != ir::Op::Load) return nullptr;
    const bool isOfEach = isEach(node->load().buffer, node->src[0]);
    isFlat = isFlat && !node->isMasked() && (isOfEach || isZero(node->src[0]));
    return isOfEach ? loops.pool->load(node->load().buffer, node->dtype, axis) : node;
  };
  for (ir::StoreTo& store : flat.stores) {
    isFlat = isFlat && !store.accumulate && isEach(store.buffer, store.offset);
    store.offset = axis;
    store.value = ir::rewrite(*loops.pool, store.value, moved);
  }
  const std::vector<const Expr*> axes = ir::freeAxes(ir::storedValues(flat.stores));
  if (!isFlat || std::any_of(axes.begin(), axes.end(), [&](const Expr* one) { return one != axis; })) return std::nullopt;
  for (ir::Buffer& buffer : flat.buffers) {
    const bool isOfEach = isDense(buffer, points);
    buffer.type = ir::TensorType::contiguous(buffer.type.dtype, isOfEach ? std::vector{elements} : std::vector<int64_t>{});
  }
  return flat;
}

}  // namespace lowering
