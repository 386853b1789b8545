#include "lowering/analysis/access.h"

#include <numeric>
#include <set>

#include "ir/index/division.h"

namespace lowering {

std::optional<MixedOffset> mixedOffset(ir::ExprPool& pool, const ir::Expr* offset) {
  ir::Sums sums(pool);
  const ir::Sum& all = sums.of(offset);
  MixedOffset mixed;
  ir::Sum rest;
  mixed.linear.constant = all.constant;
  for (const ir::Sum::Term& term : all.terms) {
    if (term.atom->op == ir::Op::Axis)
      mixed.linear.coefficients[term.atom] = term.coefficient;
    else
      rest.terms.push_back(term);
  }
  if (rest.terms.empty() || mixed.linear.coefficients.empty()) return std::nullopt;
  mixed.step = 0;
  for (const ir::Sum::Term& term : rest.terms) mixed.step = std::gcd(mixed.step, term.coefficient);
  mixed.rest = ir::spell(pool, rest);
  mixed.range = sums.range(rest).value_or(ir::Range());
  return mixed;
}

bool Access::isIndirect(const ir::Expr* axis) const {
  if (form) return false;
  return !mixed || ir::dependsOn(mixed->rest, axis);
}

std::optional<Renaming> renaming(const ir::Affine& from, const ir::Affine& to) {
  if (from.constant != to.constant || from.coefficients.size() != to.coefficients.size()) return {};
  Renaming names;
  std::set<const ir::Expr*> taken;
  for (const auto& [axis, stride] : from.coefficients) {
    for (const auto& [other, otherStride] : to.coefficients) {
      if (otherStride != stride || other->axis().extent != axis->axis().extent) continue;
      if (names.contains(axis) || !taken.insert(other).second) return {};
      names[axis] = other;
    }
    if (!names.contains(axis)) return {};
  }
  return names;
}

}  // namespace lowering
