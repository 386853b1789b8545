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

/// How often a function is computed again where it counts for many operations.
constexpr double again = 4;

/// The operations that a function then stands for: sines and cosines bring their argument near zero first.
double operationsOf(Op function) { return function == Op::Sin || function == Op::Cos ? 32 : 16; }

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

/// What expressions depend on.
class Dependences {
 public:
  /// Operands have to be added before.
  void add(const Expr* expr) {
    Found found{{}, expr->op == Op::Load};
    if (expr->op == Op::Axis) found.axes.insert(expr);
    for (const Expr* operand : expr->src) {
      const Found& before = found_.at(operand);
      found.axes.insert(before.axes.begin(), before.axes.end());
      found.isData |= before.isData;
    }
    found_.emplace(expr, std::move(found));
  }
  const AxisSet& axesOf(const Expr* expr) const { return found_.at(expr).axes; }
  /// Whether it is computed with what was loaded, and not with axes alone, as places in memory are.
  bool isOperation(const Expr& expr) const {
    return expr.op != Op::Load && expr.op != Op::Cast && !expr.src.empty() && found_.at(&expr).isData;
  }

 private:
  struct Found {
    AxisSet axes;
    bool isData = false;
  };
  std::unordered_map<const Expr*, Found> found_;
};

/// Counts what the loops of a nest take.
class Counter {
 public:
  explicit Counter(const ir::Loops& loops) : loops_(loops), loaded_(loops.buffers.size(), 0), stored_(loops.buffers.size(), 0) {}

  /// What one traversal reduces and stores: each expression is computed once, however often it is used, and each value of a
  /// reduction's body is combined.
  void add(const std::vector<const Expr*>& bodies, const std::vector<ir::StoreTo>& stores) {
    std::vector<const Expr*> values = bodies;
    for (const ir::StoreTo& store : stores) values.insert(values.end(), {store.offset, store.value});
    Dependences dependences;
    const std::vector<const Expr*> nodes = ir::postorder(values);
    for (const Expr* expr : nodes) dependences.add(expr);
    const double everywhere = bodies.empty() ? pointsOf(stores, dependences) : 0;
    for (const Expr* expr : nodes) {
      const double points = pointsIn(dependences.axesOf(expr));
      if (expr->op == Op::Load)
        load(static_cast<std::size_t>(expr->load().buffer), points);
      else if (ir::isFunction(expr->op) && everywhere >= again * points)  // loops of elements compute it at each of them
        cost_.operations += everywhere * operationsOf(expr->op);
      else if (dependences.isOperation(*expr))
        cost_.operations += points;
    }
    for (const Expr* body : bodies) cost_.operations += pointsIn(dependences.axesOf(body));
    for (const ir::StoreTo& store : stores) {
      AxisSet axes = dependences.axesOf(store.offset);
      axes.insert(dependences.axesOf(store.value).begin(), dependences.axesOf(store.value).end());
      stored_[static_cast<std::size_t>(store.buffer)] += pointsIn(axes);
      if (store.accumulate) loaded_[static_cast<std::size_t>(store.buffer)] += pointsIn(axes);
    }
  }

  Cost take() {
    for (std::size_t i = 0; i < loops_.buffers.size(); ++i) {
      const auto distinct = static_cast<double>(loops_.buffers[i].type.bytesTouched());
      const auto size = static_cast<double>(ir::sizeOf(loops_.buffers[i].type.dtype));
      cost_.bytes += std::min(distinct, loaded_[i] * size) + std::min(distinct, stored_[i] * size);
    }
    return cost_;
  }

 private:
  /// The most elements that a store goes over.
  static double pointsOf(const std::vector<ir::StoreTo>& stores, const Dependences& dependences) {
    double most = 0;
    for (const ir::StoreTo& store : stores) most = std::max(most, pointsIn(dependences.axesOf(store.offset)));
    return most;
  }

  void load(std::size_t buffer, double points) {
    if (buffer >= loops_.buffers.size()) return;  // a reduction's result
    loaded_[buffer] += points;
    cost_.loads += points;
  }

  const ir::Loops& loops_;
  std::vector<double> loaded_, stored_;  ///< elements
  Cost cost_;
};

/// What is used in several traversals of a reduction's elements is computed in each of them.
Cost costOf(const LoopNest& nest) {
  Counter counter(nest.loops);
  if (!nest.hasReductions()) {
    counter.add({}, nest.loops.stores);
    return counter.take();
  }
  const ReductionNest& reduction = *nest.reduction;
  for (int traversal = 0; traversal <= reduction.traversals(); ++traversal) {
    std::vector<const Expr*> bodies;
    for (const Reduction& each : reduction.reductions)
      if (each.traversal == traversal) bodies.push_back(each.body);
    const bool stores = !reduction.elementStores.empty() && traversal == reduction.storingTraversal();
    if (stores || !bodies.empty()) counter.add(bodies, stores ? reduction.elementStores : std::vector<ir::StoreTo>());
  }
  counter.add({}, reduction.rowStores);
  return counter.take();
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
  for (const LoopNest& nest : nests.all) each.push_back(costOf(nest));
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
