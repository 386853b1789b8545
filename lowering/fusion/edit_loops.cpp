#include "lowering/fusion/edit_loops.h"

#include <algorithm>
#include <functional>

#include "ir/index/simplify.h"
#include "ir/walk.h"

namespace lowering {

using ir::Expr;

namespace {

bool reducesAlong(const Expr* node, const Expr* axis) {
  return node->op == ir::Op::Reduce && std::find(node->src.begin() + 1, node->src.end(), axis) != node->src.end();
}

}  // namespace

int bufferIn(ir::Loops& loops, const ir::Buffer& buffer) {
  const auto isSame = [&](const ir::Buffer& known) { return known.value == buffer.value; };
  const auto found = std::find_if(loops.buffers.begin(), loops.buffers.end(), isSame);
  const auto number = static_cast<int>(found - loops.buffers.begin());
  if (found == loops.buffers.end()) loops.buffers.push_back(buffer);
  loops.buffers[static_cast<std::size_t>(number)].isRead |= buffer.isRead;
  return number;
}

void removeUnused(ir::Loops& loops) {
  for (ir::Buffer& buffer : loops.buffers) buffer.isRead = buffer.isWritten = false;
  const auto at = [&](int buffer) -> ir::Buffer& { return loops.buffers[static_cast<std::size_t>(buffer)]; };
  for (const Expr* node : ir::postorder(ir::rootsOf(loops.stores)))
    if (node->op == ir::Op::Load) at(node->load().buffer).isRead = true;
  for (const ir::StoreTo& store : loops.stores) at(store.buffer).isWritten = true;
  std::vector<ir::Buffer> used;
  std::vector<int> numbers;
  for (const ir::Buffer& buffer : loops.buffers) {
    numbers.push_back(static_cast<int>(used.size()));
    if (buffer.isRead || buffer.isWritten) used.push_back(buffer);
  }
  if (used.size() == loops.buffers.size()) return;
  const auto number = [&](int buffer) { return numbers[static_cast<std::size_t>(buffer)]; };
  const std::function<const Expr*(const Expr*)> renumber = [&](const Expr* node) -> const Expr* {
    if (node->op != ir::Op::Load) return nullptr;
    return ir::movedLoad(*loops.pool, node, number(node->load().buffer),
                         [&](const Expr* operand) { return ir::rewrite(*loops.pool, operand, renumber); });
  };
  for (ir::StoreTo& store : loops.stores)
    store = {number(store.buffer), ir::rewrite(*loops.pool, store.offset, renumber),
             ir::rewrite(*loops.pool, store.value, renumber), store.accumulate};
  loops.buffers = std::move(used);
}

void replaceAxis(ir::Loops& loops, const Expr* axis, const Expr* index) {
  ir::ExprPool& pool = *loops.pool;
  ir::Simplifier simplify(pool);
  for (ir::StoreTo& store : loops.stores) {
    store.offset = simplify(ir::substitute(pool, store.offset, axis, index));
    store.value = simplify(ir::substitute(pool, store.value, axis, index));
  }
}

std::vector<const Expr*> splitAxis(ir::Loops& loops, const Expr* axis, const std::vector<int64_t>& extents) {
  ir::ExprPool& pool = *loops.pool;
  std::vector<const Expr*> parts;
  const Expr* index = nullptr;
  for (const int64_t extent : extents) {
    parts.push_back(pool.axis(extent));
    const Expr* block = index == nullptr ? nullptr : pool.make(ir::Op::Mul, {index, pool.integer(ir::DType::I64, extent)});
    index = block == nullptr ? parts.back() : pool.make(ir::Op::Add, {block, parts.back()});
  }
  const auto inPlace = [&](std::vector<const Expr*> axes) {
    const auto found = std::find(axes.begin(), axes.end(), axis);
    if (found != axes.end()) axes.insert(axes.erase(found), parts.begin(), parts.end());
    return axes;
  };
  const std::function<const Expr*(const Expr*)> moved = [&](const Expr* node) -> const Expr* {
    if (!reducesAlong(node, axis)) return nullptr;
    return pool.reduce(node->reduction(), ir::rewrite(pool, node->src[0], moved),
                       inPlace({node->src.begin() + 1, node->src.end()}));
  };
  for (ir::StoreTo& store : loops.stores) store.value = ir::rewrite(pool, store.value, moved);
  replaceAxis(loops, axis, index);
  loops.axes = inPlace(std::move(loops.axes));
  return parts;
}

void unrollAxis(ir::Loops& loops, const Expr* axis) {
  ir::ExprPool& pool = *loops.pool;
  ir::Simplifier simplify(pool);
  const std::function<const Expr*(const Expr*)> unrolled = [&](const Expr* node) -> const Expr* {
    if (!reducesAlong(node, axis)) return nullptr;
    const Expr* body = ir::rewrite(pool, node->src[0], unrolled);
    const Expr* all = nullptr;
    for (int64_t point = 0; point < axis->axis().extent; ++point) {
      const Expr* one = simplify(ir::substitute(pool, body, axis, pool.integer(ir::DType::I64, point)));
      all = all == nullptr ? one : pool.make(node->reduction(), {all, one});
    }
    std::vector<const Expr*> rest(node->src.begin() + 1, node->src.end());
    std::erase(rest, axis);
    return pool.reduce(node->reduction(), all, rest);
  };
  for (ir::StoreTo& store : loops.stores) store.value = ir::rewrite(pool, store.value, unrolled);
}

}  // namespace lowering
