#include "ir/expr.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ir/text/text.h"
#include "tests/refusal.h"

using namespace ir;

namespace {

/// Builds I64 index arithmetic the way the schedule does.
struct Index {
  ExprPool pool;
  const Expr* i = pool.axis(8);
  const Expr* j = pool.axis(4);
  const Expr* n(int64_t value) { return pool.integer(DType::I64, value); }
  std::string operator()(Op op, std::vector<const Expr*> src) { return toText(pool.make(op, std::move(src))); }
};

constexpr int64_t beyondDouble = (int64_t{1} << 53) + 1;  // the first integer that double does not hold

template <typename Make>
std::string refusalOf(Make&& make) {
  return tests::refusal(ErrorKind::Internal, make);
}

}  // namespace

TEST_CASE("equal expressions of a pool are one node") {
  ExprPool pool;
  const Expr* x = pool.load(0, DType::F32, pool.axis(4));
  const Expr* one = pool.constant(DType::F32, 1);
  CHECK(pool.make(Op::Add, {x, one}) == pool.make(Op::Add, {x, one}));
  CHECK(pool.make(Op::Add, {x, one}) != pool.make(Op::Add, {one, x}));  // nothing is reordered
  CHECK(pool.cast(DType::F64, x) == pool.cast(DType::F64, x));
  CHECK(pool.cast(DType::F32, x) == x);
}

TEST_CASE("a load whose mask is a constant is a plain one, or what it is elsewhere") {
  ExprPool pool;
  const Expr *i = pool.axis(4), *other = pool.constant(DType::F16, 2);
  const auto masked = [&](const Expr* mask) { return pool.load(0, i, mask, other); };
  CHECK(masked(pool.integer(DType::Bool, 1)) == pool.load(0, DType::F16, i));
  CHECK(masked(pool.integer(DType::Bool, 0)) == other);
  const Expr* mask = pool.make(Op::Lt, {i, pool.integer(DType::I64, 3)});
  CHECK(toText(masked(mask)) == "b0[i0 if i0 < 3 else f16(2)]");
  CHECK(masked(mask) == masked(mask));
  CHECK(masked(mask)->isMasked());
  CHECK_FALSE(pool.load(0, DType::F16, i)->isMasked());
  CHECK(refusalOf([&] { masked(i); }) == "a load's mask is b8, not i64");
}

TEST_CASE("constants differ by their bits") {
  ExprPool pool;
  CHECK(pool.constant(DType::F32, 0.0) != pool.constant(DType::F32, -0.0));
  CHECK(pool.constant(DType::F64, NAN) == pool.constant(DType::F64, NAN));
  CHECK(pool.constant(DType::F32, 1) != pool.constant(DType::F64, 1));
  CHECK(pool.integer(DType::I32, 1) != pool.integer(DType::I64, 1));
}

TEST_CASE("a constant is rounded to what its dtype holds") {
  ExprPool pool;
  CHECK(toText(pool.constant(DType::F16, 0.1)) == "f16(0.099975586)");
  CHECK(toText(pool.constant(DType::F32, 0.1)) == "f32(0.1)");
  CHECK(toText(pool.constant(DType::F64, 0.1)) == "f64(0.1)");
  CHECK(toText(pool.constant(DType::F16, 1e6)) == "f16(inf)");
  CHECK(toText(pool.constant(DType::I32, -2.9)) == "i32(-2)");
  CHECK(toText(pool.integer(DType::U8, -1)) == "u8(255)");
  CHECK(toText(pool.integer(DType::U64, -1)) == "u64(18446744073709551615)");
  CHECK(toText(pool.integer(DType::Bool, 7)) == "true");
  CHECK(toText(pool.integer(DType::F32, 3)) == "f32(3)");
}

TEST_CASE("an integer constant keeps all of its 64 bits") {
  Index x;
  for (const int64_t value :
       {beyondDouble, -beyondDouble, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    CAPTURE(value);
    CHECK(x.pool.constant(DType::I64, value)->integer() == value);
    CHECK(x.pool.constant(DType::U64, value)->integer() == value);  // by its bits
    CHECK(x.pool.cast(DType::I64, x.pool.cast(DType::U64, x.n(value)))->integer() == value);
  }
  CHECK(toText(x.pool.constant(DType::I32, beyondDouble)) == "i32(1)");
  CHECK(toText(x.pool.constant(DType::F64, beyondDouble)) == "f64(9007199254740992)");
}

TEST_CASE("an integer becomes a floating constant in one rounding") {
  ExprPool pool;
  const int64_t aboveHalfway = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;  // as a double it is halfway between two floats
  CHECK(std::get<double>(pool.constant(DType::F32, aboveHalfway)->payload) == 0x1.000002p60);
}

TEST_CASE("axes are equal by identity, never by extent") {
  ExprPool pool;
  CHECK(pool.axis(4) != pool.axis(4));
  CHECK(pool.axis(7, 4) == pool.axis(7, 4));
  CHECK(pool.axis(9)->axis().id == 8);  // new ones come after all ids that were given
  CHECK(refusalOf([&] { pool.axis(7, 5); }) == "axis 7 has extent 4, not 5");
}

TEST_CASE("integer arithmetic on constants folds") {
  Index x;
  CHECK(x(Op::Add, {x.n(2), x.n(3)}) == "5");
  CHECK(x(Op::Div, {x.n(-7), x.n(2)}) == "-3");
  CHECK(x(Op::FloorDiv, {x.n(-7), x.n(2)}) == "-4");
  CHECK(x(Op::Rem, {x.n(-7), x.n(2)}) == "-1");
  CHECK(x(Op::Mod, {x.n(-7), x.n(2)}) == "1");
  CHECK(x(Op::Lt, {x.n(1), x.n(2)}) == "true");
  CHECK(x(Op::Where, {x.pool.integer(DType::Bool, 0), x.i, x.j}) == "i1");
  CHECK(x(Op::Shl, {x.n(1), x.n(62)}) == "4611686018427387904");
  CHECK(x(Op::Add, {x.n(std::numeric_limits<int64_t>::max()), x.n(1)}) == "-9223372036854775808");
  CHECK(x(Op::Mul, {x.n(beyondDouble), x.n(3)}) == "27021597764222979");
  CHECK(x(Op::Lt, {x.n(beyondDouble - 1), x.n(beyondDouble)}) == "true");
  CHECK(x(Op::Add, {x.pool.integer(DType::U8, 255), x.pool.integer(DType::U8, 1)}) == "u8(0)");
  CHECK(x(Op::Div, {x.n(1), x.n(0)}) == "1/0");  // undefined, so it stays what was written
}

TEST_CASE("identities of integers and Bools go") {
  Index x;
  CHECK(x(Op::Add, {x.i, x.n(0)}) == "i0");
  CHECK(x(Op::Add, {x.n(0), x.i}) == "i0");
  CHECK(x(Op::Sub, {x.i, x.n(0)}) == "i0");
  CHECK(x(Op::Mul, {x.i, x.n(1)}) == "i0");
  CHECK(x(Op::Mul, {x.n(1), x.i}) == "i0");
  CHECK(x(Op::Mul, {x.i, x.n(0)}) == "0");
  CHECK(x(Op::Mul, {x.n(0), x.i}) == "0");
  CHECK(x(Op::Div, {x.i, x.n(1)}) == "i0");
  CHECK(x(Op::FloorDiv, {x.i, x.n(1)}) == "i0");
  CHECK(x(Op::Mod, {x.i, x.n(1)}) == "0");
  CHECK(x(Op::And, {x.pool.integer(DType::Bool, 1), x.pool.make(Op::Lt, {x.i, x.j})}) == "i0 < i1");
  CHECK(x(Op::Or, {x.pool.make(Op::Lt, {x.i, x.j}), x.pool.integer(DType::Bool, 1)}) == "true");
}

TEST_CASE("floating point is never touched") {
  ExprPool pool;
  const Expr* x = pool.load(0, DType::F32, pool.axis(4));
  const auto text = [&](Op op, double value) { return toText(pool.make(op, {x, pool.constant(DType::F32, value)})); };
  CHECK(text(Op::Add, 0) == "b0[i0] + f32(0)");
  CHECK(text(Op::Mul, 1) == "b0[i0] * f32(1)");
  CHECK(text(Op::Mul, 0) == "b0[i0] * f32(0)");
  CHECK(toText(pool.make(Op::Add, {pool.constant(DType::F32, 1), pool.constant(DType::F32, 2)})) == "f32(1) + f32(2)");
}

TEST_CASE("a cast of a constant is a constant") {
  ExprPool pool;
  CHECK(toText(pool.cast(DType::F16, pool.constant(DType::F32, 1.0 / 3))) == "f16(0.33325195)");
  CHECK(toText(pool.cast(DType::I32, pool.constant(DType::F32, -1.5))) == "i32(-1)");
  CHECK(toText(pool.cast(DType::F32, pool.integer(DType::I64, 16777217))) == "f32(16777216)");
  CHECK(toText(pool.cast(DType::Bool, pool.constant(DType::F32, NAN))) == "true");
  CHECK(toText(pool.cast(DType::F64, pool.integer(DType::U64, -1))) == "f64(1.8446744073709552e+19)");
}

TEST_CASE("results have the operands' dtype, predicates are Bool") {
  ExprPool pool;
  const Expr* x = pool.load(0, DType::F32, pool.axis(4));
  CHECK(pool.make(Op::Exp, {x})->dtype == DType::F32);
  CHECK(pool.make(Op::Lt, {x, x})->dtype == DType::Bool);
  CHECK(pool.make(Op::IsNan, {x})->dtype == DType::Bool);
  CHECK(pool.make(Op::Where, {pool.make(Op::Eq, {x, x}), x, x})->dtype == DType::F32);
}

TEST_CASE("operands that do not fit are refused") {
  ExprPool pool;
  const Expr* i = pool.axis(4);
  const Expr* x = pool.load(0, DType::F32, i);
  const Expr* h = pool.load(1, DType::F16, i);
  const Expr* c = pool.load(2, DType::C64, i);
  const Expr* b = pool.make(Op::Lt, {x, x});
  CHECK(refusalOf([&] { pool.make(Op::Add, {x, h}); }) == "add of f32 and f16");
  CHECK(refusalOf([&] { pool.make(Op::Add, {x}); }) == "add takes 2 operands, not 1");
  CHECK(refusalOf([&] { pool.make(Op::Add, {b, b}); }) == "add does not take b8");
  CHECK(refusalOf([&] { pool.make(Op::Lt, {b, b}); }) == "lt does not take b8");
  CHECK(refusalOf([&] { pool.make(Op::Exp, {i}); }) == "exp does not take i64");
  CHECK(refusalOf([&] { pool.make(Op::And, {x, x}); }) == "and does not take f32");
  CHECK(refusalOf([&] { pool.make(Op::FloorDiv, {x, x}); }) == "floordiv does not take f32");
  CHECK(refusalOf([&] { pool.make(Op::Where, {x, x, x}); }) == "where takes a b8 condition, not f32");
  CHECK(refusalOf([&] { pool.make(Op::Where, {b, x, h}); }) == "where of f32 and f16");
  CHECK(refusalOf([&] { pool.make(Op::Cast, {x}); }) == "cast is not made as a scalar operation");
  CHECK(refusalOf([&] { pool.make(Op::Neg, {c}); }) == "neg does not take c64");
  CHECK(refusalOf([&] { pool.cast(DType::F32, c); }) == "cast of c64 to f32");
  CHECK(refusalOf([&] { pool.load(0, DType::F32, x); }) == "a load's offset is i64, not f32");
}

TEST_CASE("operations go by the names of ops.def") {
  CHECK(name(Op::FloorDiv) == "floordiv");
  CHECK(opFromName("where") == Op::Where);
  CHECK(opFromName("load") == Op::Const);
  CHECK(opFromName("nonsense") == Op::Const);
  CHECK(arity(Op::Where) == 3);
  CHECK(arity(Op::Load) == 1);
}
