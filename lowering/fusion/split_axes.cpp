#include "lowering/fusion/split_axes.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/walk.h"
#include "lowering/analysis/reduction_nest.h"
#include "lowering/fusion/edit_loops.h"
#include "lowering/heuristics/limits.h"

namespace lowering {
namespace {

using ir::Expr;
using Axes = std::vector<const Expr*>;

std::vector<const Expr*> nodesOf(const ir::Loops& loops) { return ir::postorder(ir::rootsOf(loops.stores)); }

/// Axes that have to be split alike, as they stand for each other: a loops' axis, and those at its place in reductions.
std::vector<Axes> alikeIn(const ir::Loops& loops, const std::vector<const Expr*>& nodes) {
  std::vector<Axes> all;
  for (const Expr* axis : loops.axes) all.push_back({axis});
  const std::optional<ReductionNest> nest = reductionNestOf(loops);
  if (!nest || nest->scans) return all;
  for (std::size_t place = 0; place < nest->reduced.size(); ++place) {
    const auto isThis = [&](const Axes& axes) { return axes.front() == nest->reduced[place]; };
    auto own = std::find_if(all.begin(), all.end(), isThis);
    if (own == all.end()) own = all.insert(own, {nest->reduced[place]});
    for (const Expr* node : nodes) {
      if (node->op != ir::Op::Reduce) continue;
      const Expr* axis = runningAxes({node->src.begin() + 1, node->src.end()})[place];
      if (std::find(own->begin(), own->end(), axis) == own->end()) own->push_back(axis);
    }
  }
  return all;
}

/// The smallest divisor of axes, where all of them divide their extent and each other.
std::optional<int64_t> divisorOf(const Axes& axes, const std::vector<const Expr*>& nodes) {
  std::set<int64_t> divisors;
  for (const Expr* node : nodes) {
    const bool divides = node->op == ir::Op::FloorDiv || node->op == ir::Op::Mod;
    if (divides && std::find(axes.begin(), axes.end(), node->src[0]) != axes.end() && node->src[1]->isConst())
      divisors.insert(node->src[1]->integer());
  }
  int64_t before = 1;
  for (const int64_t divisor : divisors) {
    if (divisor <= 1 || divisor % before != 0 || axes.front()->axis().extent % divisor != 0) return std::nullopt;
    before = divisor;
  }
  return divisors.empty() ? std::nullopt : std::optional(*divisors.begin());
}

/// Whether rows would be cut to pieces that are shorter than vectors, as the windows of a pool cut them.
bool cutsRows(const ir::Loops& loops, const std::vector<const Expr*>& nodes) {
  const std::optional<int64_t> extent = loops.axes.empty() ? std::nullopt : divisorOf({loops.axes.back()}, nodes);
  return extent && *extent < limits::pieces::leastRow;
}

bool has(ir::Op op, const std::vector<const Expr*>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const Expr* node) { return node->op == op; });
}

/// Whether all reductions depend on each of these axes: they would be no rows of the others.
bool dependOnAll(const ir::Loops& loops, const Axes& axes) {
  const std::vector<const Expr*> nodes = nodesOf(loops);
  return std::all_of(nodes.begin(), nodes.end(), [&](const Expr* node) {
    const auto depends = [&](const Expr* axis) { return ir::dependsOn(node, axis); };
    return node->op != ir::Op::Reduce || std::all_of(axes.begin(), axes.end(), depends);
  });
}

/// Splits the first of the axes that an index divides; false if there are none.
bool splitOne(ir::Loops& loops) {
  const std::vector<const Expr*> nodes = nodesOf(loops);
  if (has(ir::Op::Scan, nodes) || cutsRows(loops, nodes)) return false;
  const bool hasRows = has(ir::Op::Reduce, nodes);
  for (const Axes& axes : alikeIn(loops, nodes)) {
    const auto outer = std::find(loops.axes.begin(), loops.axes.end(), axes.front());
    const bool mayBeRow = hasRows && (axes.size() > 1 || outer == loops.axes.end() || outer + 1 == loops.axes.end());
    const std::optional<int64_t> extent = divisorOf(axes, nodes);
    if (!extent || *extent < (mayBeRow ? limits::pieces::leastRow : 1)) continue;
    ir::Loops split = loops;
    Axes parts;
    for (const Expr* axis : axes) parts = splitAxis(split, axis, {axis->axis().extent / *extent, *extent});
    if (outer != loops.axes.end() && axes.size() == 1 && !dependOnAll(split, parts)) continue;
    loops = std::move(split);
    return true;
  }
  return false;
}

}  // namespace

std::vector<ir::Loops> splitAxes(std::vector<ir::Loops> all) {
  for (ir::Loops& loops : all)
    while (splitOne(loops)) {
    }
  return all;
}

}  // namespace lowering
