#include "lowering/analysis/cost.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::Op;

/// Operations in the time in which memory moves a byte; about as many on a core of a CPU as on a GPU.
constexpr double operationsPerByte = 8;

/// Operations in the time that a load takes to be issued: a multiprocessor computes with 128 lanes, and loads with 32.
double operationsPerLoad(ir::Backend backend) {
  switch (backend) {
    case ir::Backend::Cuda: return 4;
    case ir::Backend::Cpu: return 1;
  }
  return 1;
}

/// What memory moves while a kernel starts, or tasks do.
double startBytes(ir::Backend backend) {
  switch (backend) {
    case ir::Backend::Cuda: return 1 << 21;
    case ir::Backend::Cpu: return 1 << 15;
  }
  return 0;
}

using AxisSet = std::set<const Expr*>;

double pointsIn(const AxisSet& axes) {
  double points = 1;
  for (const Expr* axis : axes) points *= static_cast<double>(axis->axis().extent);
  return points;
}

/// The axes that expressions depend on.
class DependedAxes {
 public:
  /// Operands have to be added before.
  void add(const Expr* expr) {
    AxisSet axes;
    if (expr->op == Op::Axis) axes.insert(expr);
    for (const Expr* operand : expr->src) axes.insert(of(operand).begin(), of(operand).end());
    if (expr->op == Op::Reduce)
      for (auto own = expr->src.begin() + 1; own != expr->src.end(); ++own) axes.erase(*own);
    axes_.emplace(expr, std::move(axes));
  }
  const AxisSet& of(const Expr* expr) const { return axes_.at(expr); }

 private:
  std::unordered_map<const Expr*, AxisSet> axes_;
};

bool isOperation(const Expr& expr) {
  switch (expr.op) {
    case Op::Const:
    case Op::Axis:
    case Op::Load:
    case Op::Cast:
    case Op::Where: return false;
    default: return !expr.src.empty() && ir::isFloating(expr.src[0]->dtype);
  }
}

Cost costOf(const ir::Loops& loops) {
  Cost cost;
  std::vector<double> loaded(loops.buffers.size(), 0), stored(loops.buffers.size(), 0);  // elements
  std::vector<const Expr*> roots;
  for (const ir::StoreTo& store : loops.stores) roots.insert(roots.end(), {store.offset, store.value});
  DependedAxes dependences;
  for (const Expr* expr : ir::postorder(roots)) {
    dependences.add(expr);
    // What a Reduce combines has a value for each point of its own axes as well.
    const double points = pointsIn(dependences.of(expr->op == Op::Reduce ? expr->src[0] : expr));
    if (expr->op == Op::Load) {
      loaded[static_cast<std::size_t>(expr->load().buffer)] += points;
      cost.loads += points;
    } else if (isOperation(*expr)) {
      cost.operations += points;
    }
  }
  for (const ir::StoreTo& store : loops.stores) {
    AxisSet axes = dependences.of(store.offset);
    axes.insert(dependences.of(store.value).begin(), dependences.of(store.value).end());
    stored[static_cast<std::size_t>(store.buffer)] += pointsIn(axes);
    if (store.accumulate) loaded[static_cast<std::size_t>(store.buffer)] += pointsIn(axes);
  }
  for (std::size_t i = 0; i < loops.buffers.size(); ++i) {
    const auto distinct = static_cast<double>(loops.buffers[i].type.bytesTouched());
    const auto size = static_cast<double>(ir::sizeOf(loops.buffers[i].type.dtype));
    cost.bytes += std::min(distinct, loaded[i] * size) + std::min(distinct, stored[i] * size);
  }
  return cost;
}

/// How many nests start one after another at the least.
int startsOf(const std::vector<LoopNest>& all) {
  const DependenceGraph graph = dependencesOf(all);
  std::vector<int> starts(all.size(), 1);
  int most = 0;
  for (const std::size_t nest : graph.order()) {
    for (std::size_t before = 0; before < all.size(); ++before)
      if (before != nest && graph.leads(before, nest)) starts[nest] = std::max(starts[nest], starts[before] + 1);
    most = std::max(most, starts[nest]);
  }
  return most;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  bytes += other.bytes;
  loads += other.loads;
  operations += other.operations;
  time += other.time;
  return *this;
}

Cost costOf(const LoopNests& nests, const ir::Target& target) {
  std::vector<Cost> each;
  for (const LoopNest& nest : nests.all) each.push_back(costOf(nest.loops));
  std::set<std::size_t> paired;
  for (const MixedOrderPair& pair : nests.mixedOrders)
    if (!paired.contains(pair.first) && !paired.contains(pair.second)) {
      paired.insert({pair.first, pair.second});
      each[pair.second].bytes -= static_cast<double>(pair.sharedBytes);
    }
  Cost cost;
  for (Cost& one : each) {
    one.time = std::max(one.bytes, (one.loads * operationsPerLoad(target.backend) + one.operations) / operationsPerByte);
    cost += one;
  }
  cost.time += startBytes(target.backend) * startsOf(nests.all);
  return cost;
}

}  // namespace lowering
