#include "lowering/fusion/split_axes.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/walk.h"
#include "lowering/fusion/edit_loops.h"
#include "lowering/heuristics/limits.h"

namespace lowering {
namespace {

using ir::Expr;

std::vector<const Expr*> nodesOf(const ir::Loops& loops) { return ir::postorder(ir::rootsOf(loops.stores)); }

bool isPointwise(const std::vector<const Expr*>& nodes) {
  return std::none_of(nodes.begin(), nodes.end(), [](const Expr* node) { return node->isCombining(); });
}

/// The smallest divisor of an axis, where all of them divide its extent and each other.
std::optional<int64_t> divisorOf(const Expr* axis, const std::vector<const Expr*>& nodes) {
  std::set<int64_t> divisors;
  for (const Expr* node : nodes) {
    const bool divides = node->op == ir::Op::FloorDiv || node->op == ir::Op::Mod;
    if (divides && node->src[0] == axis && node->src[1]->isConst()) divisors.insert(node->src[1]->integer());
  }
  int64_t before = 1;
  for (const int64_t divisor : divisors) {
    if (divisor <= 1 || divisor % before != 0 || axis->axis().extent % divisor != 0) return std::nullopt;
    before = divisor;
  }
  return divisors.empty() ? std::nullopt : std::optional(*divisors.begin());
}

/// Whether rows would be cut to pieces that are shorter than vectors, as the windows of a pool cut them.
bool cutsRows(const ir::Loops& loops, const std::vector<const Expr*>& nodes) {
  const std::optional<int64_t> extent = loops.axes.empty() ? std::nullopt : divisorOf(loops.axes.back(), nodes);
  return extent && *extent < limits::pieces::leastRow;
}

ir::Loops splitAxes(ir::Loops loops) {
  std::vector<const Expr*> nodes = nodesOf(loops);
  if (!isPointwise(nodes) || cutsRows(loops, nodes)) return loops;
  for (std::size_t number = 0; number < loops.axes.size(); ++number)
    while (const std::optional<int64_t> extent = divisorOf(loops.axes[number], nodes)) {
      const Expr* axis = loops.axes[number];
      splitAxis(loops, axis, {axis->axis().extent / *extent, *extent});
      nodes = nodesOf(loops);
    }
  return loops;
}

}  // namespace

std::vector<ir::Loops> splitAxes(std::vector<ir::Loops> all) {
  for (ir::Loops& loops : all) loops = splitAxes(std::move(loops));
  return all;
}

}  // namespace lowering
