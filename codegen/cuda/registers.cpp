#include "codegen/cuda/registers.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/index/range.h"
#include "ir/walk.h"

namespace codegen {
namespace {

using ir::DType;
using ir::Expr;
using ir::Op;

/// `sum + coefficient * axis`
const Expr* plus(ir::ExprPool& pool, const Expr* sum, const Expr* axis, int64_t coefficient) {
  if (coefficient == 0) return sum;
  const Expr* term = pool.make(Op::Mul, {axis, pool.integer(DType::I64, coefficient)});
  return sum->isConst() && sum->integer() == 0 ? term : pool.make(Op::Add, {sum, term});
}

}  // namespace

RegisterPlace registerPlace(ir::ExprPool& pool, const Expr* offset, int lanes) {
  const std::optional<ir::Affine> form = ir::affine(offset);
  const Expr* const width = pool.integer(DType::I64, lanes);
  const RegisterPlace divided{pool.make(Op::FloorDiv, {offset, width}), pool.make(Op::Mod, {offset, width})};
  if (!form || form->constant < 0) return divided;
  std::vector<std::pair<const Expr*, int64_t>> terms(form->coefficients.begin(), form->coefficients.end());
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first->axis().id < b.first->axis().id; });
  RegisterPlace place{pool.integer(DType::I64, 0), pool.integer(DType::I64, 0)};
  ir::Affine within;  // what is left for the lane
  within.constant = form->constant % lanes;
  for (const auto& [axis, coefficient] : terms) {
    const bool isWhole = coefficient % lanes == 0;
    if (!isWhole) within.coefficients[axis] = coefficient;
    place.vector = plus(pool, place.vector, axis, isWhole ? coefficient / lanes : 0);
    place.lane = plus(pool, place.lane, axis, isWhole ? 0 : coefficient);
  }
  const std::optional<ir::Range> range = ir::rangeOf(within);
  if (!range || range->least < 0 || range->most >= lanes) return divided;
  if (place.vector->isConst() && form->constant < lanes) return {place.vector, offset};
  place.vector = pool.make(Op::Add, {place.vector, pool.integer(DType::I64, form->constant / lanes)});
  place.lane = pool.make(Op::Add, {place.lane, pool.integer(DType::I64, within.constant)});
  return place;
}

}  // namespace codegen
