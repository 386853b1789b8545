#include "lowering/kernel/statements.h"

#include <iterator>

namespace lowering {

ir::Block loop(ir::LoopKind kind, Value axis, ir::Block body) {
  if (axis.expr()->isConst()) return body;
  ir::Block block;
  block.push_back({ir::For{axis.expr(), kind, std::move(body)}});
  return block;
}

ir::Block gridLoop(Value cluster, ir::Block body) {
  const ir::Expr* axis = cluster.expr()->isConst() ? cluster.pool().axis(1) : cluster.expr();
  return {{ir::For{axis, ir::LoopKind::Grid, std::move(body)}}};
}

ir::Block when(const Condition& condition, ir::Block body) {
  if (!condition || body.empty()) return body;
  ir::Block block;
  block.push_back({ir::If{condition->expr(), std::move(body), {}}});
  return block;
}

Condition both(const Condition& a, const Condition& b) { return a && b ? *a & *b : a ? a : b; }

Condition within(Value index, int64_t covered, int64_t extent) {
  if (covered <= extent) return std::nullopt;
  return index < extent;
}

void append(ir::Block& to, ir::Block statements) { std::move(statements.begin(), statements.end(), std::back_inserter(to)); }

}  // namespace lowering
