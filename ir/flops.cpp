#include "ir/flops.h"

#include "ir/walk.h"

namespace ir {
namespace {

double points(const Expr* expr) {
  double product = 1;
  for (const Expr* axis : freeAxes({expr})) product *= static_cast<double>(axis->axis().extent);
  return product;
}

bool isArithmetic(const Expr& expr) {
  switch (expr.op) {
    case Op::Const:
    case Op::Axis:
    case Op::Load:
    case Op::Cast:
    case Op::Where: return false;
    default: return !expr.src.empty() && isFloating(expr.src[0]->dtype);
  }
}

}  // namespace

double floatingPointOperations(const Loops& loops) {
  double sum = 0;
  for (const Expr* expr : postorder(storedValues(loops.stores)))
    // What a Reduce combines has a value for each point of its own axes as well.
    if (isArithmetic(*expr)) sum += points(expr->op == Op::Reduce ? expr->src[0] : expr);
  return sum;
}

}  // namespace ir
