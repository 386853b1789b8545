#include "opbench/check/faults/loop_faults.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ir/walk.h"

namespace opbench {
namespace {

using ir::DType;
using ir::Expr;
using ir::Op;

constexpr int64_t dropped = 8;  // elements of ShortSum

bool isExtreme(Op op) { return op == Op::Max || op == Op::Min; }

/// Rewrites what the loops of one graph store.
class LoopBreaker {
 public:
  LoopBreaker(ir::ExprPool& pool, Fault fault) : pool_(pool), fault_(fault) {}

  const Expr* operator()(const Expr* value) {
    const std::vector<const Expr*> nodes = ir::postorder({value});
    if (fault_ == Fault::OnePassVariance) dropPivots(nodes);
    for (const Expr* node : nodes) {
      if (made_.contains(node)) continue;
      std::vector<const Expr*> src;
      for (const Expr* operand : node->src) src.push_back(made_.at(operand));
      made_[node] = broken(ir::withOperands(pool_, node, std::move(src)));
    }
    return made_.at(value);
  }

 private:
  const Expr* make(Op op, std::vector<const Expr*> src) { return pool_.make(op, std::move(src)); }
  const Expr* number(int64_t value) { return pool_.integer(DType::I64, value); }
  static std::vector<const Expr*> axesOf(const Expr* reduce) { return {reduce->src.begin() + 1, reduce->src.end()}; }

  const Expr* broken(const Expr* node) {
    if (node->op == Op::Reduce) return brokenReduction(node);
    const bool isOfFloats = isExtreme(node->op) && ir::isFloating(node->dtype);
    return fault_ == Fault::SwallowNan && isOfFloats ? ofNumbers(node) : node;
  }

  const Expr* brokenReduction(const Expr* node) {
    const Op op = node->reduction();
    const bool isFloating = ir::isFloating(node->dtype);
    switch (fault_) {
      case Fault::DropMaximum: return op == Op::Max && isFloating ? pool_.constant(node->dtype, 0.0) : node;
      case Fault::OnePassVariance: return op == Op::Add && isFloating ? inOnePass(node) : node;
      case Fault::ShortSum: return op == Op::Add && isFloating ? without(node, dropped) : node;
      case Fault::SparseSum: return op == Op::Add && isFloating ? without(node, countOf(node) / 100) : node;
      case Fault::SwallowNan: return isExtreme(op) && isFloating ? withoutNan(node) : node;
      case Fault::LastTie: return op == Op::Min && node->dtype == DType::I64 ? lastPlace(node) : node;
      default: return node;
    }
  }

  /// max(a, b) that is the other operand where one is NaN.
  const Expr* ofNumbers(const Expr* node) {
    const Expr* a = node->src[0];
    const Expr* b = node->src[1];
    return make(Op::Where, {make(Op::IsNan, {a}), b, make(Op::Where, {make(Op::IsNan, {b}), a, node})});
  }
  const Expr* withoutNan(const Expr* reduce) {
    const Expr* body = reduce->src[0];
    const Expr* identity = pool_.identity(reduce->reduction(), body->dtype);
    return pool_.reduce(reduce->reduction(), make(Op::Where, {make(Op::IsNan, {body}), identity, body}), axesOf(reduce));
  }

  static int64_t countOf(const Expr* reduce) {
    int64_t count = 1;
    for (const Expr* axis : axesOf(reduce)) count *= axis->axis().extent;
    return count;
  }
  /// The sum without its last elements, where it has more.
  const Expr* without(const Expr* reduce, int64_t last) {
    const int64_t count = countOf(reduce);
    if (last == 0 || count <= last) return reduce;
    const Expr* place = number(0);
    for (const Expr* axis : axesOf(reduce)) place = make(Op::Add, {make(Op::Mul, {place, number(axis->axis().extent)}), axis});
    const Expr* body = reduce->src[0];
    const Expr* isEarly = make(Op::Lt, {place, number(count - last)});
    return pool_.reduce(Op::Add, make(Op::Where, {isEarly, body, pool_.constant(body->dtype, 0.0)}), axesOf(reduce));
  }

  /// The x and m of sum((x - m)^2), m being one for all that is summed.
  static std::optional<std::pair<const Expr*, const Expr*>> squaredDifference(const Expr* reduce) {
    const Expr* body = reduce->src[0];
    const bool isSquare = body->op == Op::Mul && body->src[0] == body->src[1] && body->src[0]->op == Op::Sub;
    if (!isSquare) return std::nullopt;
    const std::vector<const Expr*> axes = axesOf(reduce), ofMean = ir::freeAxes({body->src[0]->src[1]});
    const auto varies = [&](const Expr* axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); };
    if (std::any_of(ofMean.begin(), ofMean.end(), varies)) return std::nullopt;
    return std::pair{body->src[0]->src[0], body->src[0]->src[1]};
  }

  /// Elements of x that all others have their difference from become 0: what is left is in one pass.
  void dropPivots(const std::vector<const Expr*>& nodes) {
    for (const Expr* node : nodes) {
      if (node->op != Op::Reduce || node->reduction() != Op::Add || !ir::isFloating(node->dtype)) continue;
      const auto difference = squaredDifference(node);
      if (difference && isElementOf(difference->second, difference->first))
        made_[difference->second] = pool_.constant(difference->second->dtype, 0.0);
    }
  }
  static bool isElementOf(const Expr* pivot, const Expr* x) {
    const std::vector<const Expr*> nodes = ir::postorder({pivot}), loads = ir::loadsIn({x});
    return std::all_of(nodes.begin(), nodes.end(), [&](const Expr* node) {
      const auto isSame = [&](const Expr* load) { return load->load().buffer == node->load().buffer; };
      return node->op == Op::Load ? std::any_of(loads.begin(), loads.end(), isSame) : !node->isCombining();
    });
  }

  /// sum((x - mean)^2) as sum(x^2) - sum(x)^2 / n.
  const Expr* inOnePass(const Expr* reduce) {
    const auto difference = squaredDifference(reduce);
    if (!difference || difference->second->isConst()) return reduce;
    const Expr* x = difference->first;
    const std::vector<const Expr*> axes = axesOf(reduce);
    const Expr* total = pool_.reduce(Op::Add, x, axes);
    const Expr* count = pool_.constant(x->dtype, static_cast<double>(countOf(reduce)));
    return make(Op::Sub,
                {pool_.reduce(Op::Add, make(Op::Mul, {x, x}), axes), make(Op::Div, {make(Op::Mul, {total, total}), count})});
  }

  /// The last of the places that fit, not the first.
  const Expr* lastPlace(const Expr* reduce) {
    const Expr* body = reduce->src[0];
    if (body->op != Op::Where || !body->src[2]->isConst()) return reduce;
    return pool_.reduce(Op::Max, make(Op::Where, {body->src[0], body->src[1], number(-1)}), axesOf(reduce));
  }

  ir::ExprPool& pool_;
  Fault fault_;
  std::unordered_map<const Expr*, const Expr*> made_;
};

bool hasExponential(const std::vector<ir::Loops>& all) {
  return std::any_of(all.begin(), all.end(), [](const ir::Loops& loops) {
    const auto nodes = ir::postorder(ir::storedValues(loops.stores));
    return std::any_of(nodes.begin(), nodes.end(), [](const Expr* node) { return node->op == Op::Exp; });
  });
}

}  // namespace

bool isOfLoops(Fault fault) {
  switch (fault) {
    case Fault::DropMaximum:
    case Fault::OnePassVariance:
    case Fault::ShortSum:
    case Fault::SparseSum:
    case Fault::SwallowNan:
    case Fault::LastTie: return true;
    default: return false;
  }
}

bool breakLoops(std::vector<ir::Loops>& all, Fault fault) {
  if (fault == Fault::DropMaximum && !hasExponential(all)) return false;
  bool isBroken = false;
  for (ir::Loops& loops : all) {
    LoopBreaker broken(*loops.pool, fault);
    for (ir::StoreTo& store : loops.stores) {
      const ir::Expr* before = std::exchange(store.value, broken(store.value));
      isBroken = isBroken || before != store.value;
    }
  }
  return isBroken;
}

}  // namespace opbench
