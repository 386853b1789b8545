#include "lowering/kernel/statements.h"

#include <algorithm>
#include <iterator>

namespace lowering {

ir::Block loop(ir::LoopKind kind, Value axis, ir::Block body) {
  if (axis.expr()->isConst()) return body;
  ir::Block block;
  block.push_back({ir::For{axis.expr(), kind, std::move(body)}});
  return block;
}

namespace {

ir::Block launchLoop(ir::LoopKind kind, Value number, ir::Block body) {
  const ir::Expr* axis = number.expr()->isConst() ? number.pool().axis(1) : number.expr();
  return {{ir::For{axis, kind, std::move(body)}}};
}

}  // namespace

ir::Block gridLoop(Value cluster, ir::Block body) { return launchLoop(ir::LoopKind::Grid, cluster, std::move(body)); }

ir::Block taskLoop(Value task, ir::Block body) { return launchLoop(ir::LoopKind::Task, task, std::move(body)); }

Guard Guard::operator&(const Guard& other) const {
  if (isAlways() || other.isAlways()) return isAlways() ? other : *this;
  return *condition_ & *other.condition_;
}

ir::Block when(const Guard& guard, ir::Block body) {
  if (guard.isAlways() || body.empty()) return body;
  ir::Block block;
  block.push_back({ir::If{guard.expr(), std::move(body), {}}});
  return block;
}

Guard within(Value index, int64_t covered, int64_t extent) {
  if (covered <= extent) return Guard::always();
  return index < extent;
}

std::string freeName(const ir::Kernel& kernel, const std::string& stem, const std::string& separator) {
  const auto isTaken = [&](const std::string& name) {
    const auto has = [&](const auto& owner) { return owner.buffer.name == name; };
    return std::any_of(kernel.params.begin(), kernel.params.end(), has) ||
           std::any_of(kernel.locals.begin(), kernel.locals.end(), has);
  };
  std::string name = stem;
  for (int i = 1; isTaken(name); ++i) name = stem + separator + std::to_string(i);
  return name;
}

void append(ir::Block& to, ir::Block statements) { std::move(statements.begin(), statements.end(), std::back_inserter(to)); }

}  // namespace lowering
