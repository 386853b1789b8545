#include "lowering/fusion/fuse_loops.h"

#include <algorithm>
#include <map>

#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;

using Renaming = std::map<const Expr*, const Expr*>;

bool isRead(const ir::Loops& loops, const Expr* node, int value) {
  return node->op == ir::Op::Load && node->load().buffer < static_cast<int>(loops.buffers.size()) &&
         loops.buffers[static_cast<std::size_t>(node->load().buffer)].value == value;
}

/// The axes of one affine form as those of another that has the same strides; nothing where they differ.
std::optional<Renaming> renaming(const ir::Affine& from, const ir::Affine& to) {
  if (from.constant != to.constant || from.coefficients.size() != to.coefficients.size()) return {};
  Renaming names;
  for (const auto& [axis, stride] : from.coefficients) {
    const auto same = std::find_if(to.coefficients.begin(), to.coefficients.end(), [&](const auto& other) {
      return other.second == stride && other.first->axis().extent == axis->axis().extent;
    });
    if (same == to.coefficients.end()) return {};
    names[axis] = same->first;
  }
  return names;
}

/// What the axes of rows and their elements are called in loops over these elements: by a tensor that both read alike.
std::optional<Renaming> sharedAxes(const ir::Loops& elements, const ir::Loops& rows, const ReductionNest& nest) {
  std::vector<const Expr*> values, bodies;
  for (const ir::StoreTo& store : elements.stores) values.push_back(store.value);
  for (const Reduction& reduction : nest.reductions) bodies.push_back(reduction.body);
  std::size_t runs = 0;
  for (const Expr* axis : elements.axes) runs += axis->axis().extent > 1 ? 1 : 0;
  for (const Expr* element : ir::postorder(values)) {
    for (const Expr* ofRow : ir::postorder(bodies)) {
      if (element->op != ir::Op::Load || !isRead(rows, ofRow, elements.buffers[element->load().buffer].value)) continue;
      const auto to = ir::affine(element->src[0]), from = ir::affine(ofRow->src[0]);
      if (!to || !from || to->coefficients.size() != runs) continue;
      if (std::optional<Renaming> names = renaming(*from, *to)) return names;
    }
  }
  return {};
}

/// Whether one of them reads or writes what the other one writes.
bool interfere(const ir::Loops& a, const ir::Loops& b) {
  return std::any_of(a.buffers.begin(), a.buffers.end(), [&](const ir::Buffer& x) {
    return std::any_of(b.buffers.begin(), b.buffers.end(),
                       [&](const ir::Buffer& y) { return x.value == y.value && (x.isWritten || y.isWritten); });
  });
}

/// Loops over elements that also do what rows of these do.
ir::Loops join(ir::Loops loops, const ir::Loops& rows, const Renaming& names) {
  ir::ExprPool& pool = *loops.pool;
  const auto numberOf = [&](int buffer) { return bufferIn(loops, rows.buffers[static_cast<std::size_t>(buffer)]); };
  const std::function<const Expr*(const Expr*)> moved = [&](const Expr* expr) {
    return ir::rewrite(pool, expr, [&](const Expr* node) -> const Expr* {
      if (node->op == ir::Op::Load) return pool.load(numberOf(node->load().buffer), node->dtype, moved(node->src[0]));
      const auto name = names.find(node);
      return name == names.end() ? nullptr : name->second;
    });
  };
  for (const ir::StoreTo& store : rows.stores)
    loops.stores.push_back({numberOf(store.buffer), moved(store.offset), moved(store.value)});
  return loops;
}

/// Both as one, where the second reduces rows of the elements that the first goes over, in the order in which they lie.
std::optional<ir::Loops> fuse(const LoopNest& pointwise, const LoopNest& reduction) {
  const ir::Loops &elements = pointwise.loops, &rows = reduction.loops;
  const std::optional<ReductionNest>& nest = reduction.reduction;
  if (elements.pool != rows.pool || pointwise.reduction || interfere(elements, rows)) return {};
  if (!nest || nest->traversals() > 1 || !nest->elementStores.empty() || !reduction.domain.runsAlongElements()) return {};
  std::optional<Renaming> names = sharedAxes(elements, rows, *nest);
  if (!names) return {};
  std::vector<int64_t> reduced, rest;
  for (const Expr* axis : nest->reduced) reduced.push_back(axis->axis().extent);
  std::erase_if(
      *names, [&](const auto& name) { return std::find(nest->kept.begin(), nest->kept.end(), name.first) == nest->kept.end(); });
  if (names->size() != nest->kept.size()) return {};
  const auto isKept = [&](const Expr* axis) {
    return std::any_of(names->begin(), names->end(), [&](const auto& name) { return name.second == axis; });
  };
  for (const Expr* axis : elements.axes)
    if (axis->axis().extent > 1 && !isKept(axis)) rest.push_back(axis->axis().extent);
  if (rest != reduced) return {};
  return join(elements, rows, *names);
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

std::vector<LoopNest> fuseLoops(std::vector<LoopNest> all, const ir::Target& target) {
  if (target.backend != ir::Backend::Cuda || all.size() != 2) return all;
  for (const auto& [elements, rows] : {std::pair(0, 1), std::pair(1, 0)})
    if (std::optional<ir::Loops> one = fuse(all[elements], all[rows])) return {analyze(*std::move(one), target)};
  return all;
}

}  // namespace lowering
