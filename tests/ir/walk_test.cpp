#include "ir/walk.h"

#include <doctest/doctest.h>

#include "ir/text/text.h"

using namespace ir;

namespace {

const Expr* chain(ExprPool& pool, const Expr* x, int length) {
  for (int i = 0; i < length; ++i) x = pool.make(Op::Add, {x, x});
  return x;
}

}  // namespace

TEST_CASE("postorder gives operands before users, each once, in an order that depends on the roots alone") {
  ExprPool pool;
  const Expr* i = pool.axis(4);
  const Expr* y = pool.load(1, DType::F32, i);
  const Expr* x = pool.load(0, DType::F32, i);
  const Expr* sum = pool.make(Op::Add, {x, y});
  CHECK(postorder({sum, x}) == std::vector<const Expr*>{i, x, y, sum});
  CHECK(postorder({y, sum}) == std::vector<const Expr*>{i, y, x, sum});
  CHECK(postorder({}).empty());
}

TEST_CASE("the free axes are those that no reduction around them binds") {
  ExprPool pool;
  const Expr* i = pool.axis(4);
  const Expr* j = pool.axis(4);
  const Expr* k = pool.axis(4);
  const Expr* x = pool.load(0, DType::F32, pool.make(Op::Add, {i, j}));
  const Expr* top = pool.reduce(Op::Max, x, {j});
  const Expr* centred = pool.make(Op::Sub, {pool.load(0, DType::F32, k), top});
  CHECK(freeAxes({x}) == std::vector<const Expr*>{i, j});
  CHECK(freeAxes({top}) == std::vector<const Expr*>{i});
  CHECK(freeAxes({pool.reduce(Op::Add, centred, {k})}) == std::vector<const Expr*>{i});
  CHECK(freeAxes({pool.reduce(Op::Add, centred, {i, k})}).empty());
  CHECK(freeAxes({top, x}) == std::vector<const Expr*>{i, j});  // bound in one and free in the other
  CHECK(postorder({centred}, false) == std::vector<const Expr*>{k, centred->src[0], top, centred});
}

TEST_CASE("walks take deep and shared expressions in their stride") {
  ExprPool pool;
  const Expr* i = pool.axis(4);
  const Expr* deep = chain(pool, pool.load(0, DType::F32, i), 100'000);  // as a tree: 2^100000 nodes
  CHECK(postorder({deep}).size() == 100'002);
  CHECK(dependsOn(deep, i));
  const Expr* j = pool.axis(4);
  CHECK_FALSE(dependsOn(deep, j));
  CHECK(dependsOn(substitute(pool, deep, i, j), j));
}

TEST_CASE("substitute puts an expression in an axis's place and folds what becomes constant") {
  ExprPool pool;
  const Expr* i = pool.axis(4);
  const Expr* j = pool.axis(3);
  const Expr* index = pool.make(Op::Add, {pool.make(Op::Mul, {i, pool.integer(DType::I64, 3)}), j});
  const Expr* value = pool.cast(DType::F16, pool.load(0, DType::F32, index, LoadMode::Contiguous));
  CHECK(toText(value) == "f16(b0[i0*3 + i1] x?)");
  CHECK(toText(substitute(pool, value, i, pool.integer(DType::I64, 2))) == "f16(b0[6 + i1] x?)");
  CHECK(substitute(pool, value, pool.axis(9), j) == value);
}

TEST_CASE("a load is moved with its mask and what it is elsewhere") {
  ExprPool pool;
  const Expr* i = pool.axis(4);
  const Expr* mask = pool.make(Op::Lt, {i, pool.integer(DType::I64, 3)});
  const Expr* masked = pool.load(0, i, mask, pool.load(1, DType::F32, i), LoadMode::Contiguous);
  const Expr* two = pool.integer(DType::I64, 2);
  CHECK(toText(substitute(pool, masked, i, two)) == "b0[2] x?");
  CHECK(toText(substitute(pool, masked, i, pool.integer(DType::I64, 3))) == "b1[3]");
  const Expr* j = pool.axis(9);
  CHECK(toText(movedLoad(pool, masked, 5, [&](const Expr* x) { return substitute(pool, x, i, j); })) ==
        "b5[i1 if i1 < 3 else b1[i1]] x?");
}

TEST_CASE("rewrite replaces from the top and leaves what it gave alone") {
  ExprPool pool;
  const Expr* x = pool.load(0, DType::F32, pool.axis(4));
  const Expr* y = pool.make(Op::Exp, {pool.make(Op::Neg, {x})});
  const auto negate = [&](const Expr* node) { return node == x ? pool.make(Op::Neg, {x}) : nullptr; };
  CHECK(toText(rewrite(pool, y, negate)) == "exp(--b0[i0])");
}

TEST_CASE("an index is affine if it is a sum of multiples of axes") {
  ExprPool pool;
  const Expr* i = pool.axis(4);
  const Expr* j = pool.axis(3);
  const auto n = [&](int64_t value) { return pool.integer(DType::I64, value); };
  const Expr* index = pool.make(Op::Sub, {pool.make(Op::Mul, {n(3), pool.make(Op::Add, {i, n(2)})}), pool.make(Op::Neg, {j})});
  const std::optional<Affine> form = affine(index);
  REQUIRE(form);
  CHECK(form->constant == 6);
  CHECK(form->of(i) == 3);
  CHECK(form->of(j) == 1);
  CHECK(form->of(pool.axis(2)) == 0);
  CHECK(affine(pool.make(Op::Sub, {i, i}))->coefficients.empty());
  CHECK_FALSE(affine(pool.make(Op::Mul, {i, j})));
  CHECK_FALSE(affine(pool.make(Op::FloorDiv, {i, n(2)})));
  CHECK_FALSE(affine(pool.load(0, DType::I64, i)));
  CHECK_FALSE(affine(pool.make(Op::Mul, {pool.make(Op::Mul, {i, n(INT64_MAX)}), n(2)})));  // 64 bits do not hold it
}
