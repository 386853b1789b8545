// Bounds of indices against the values that they take.
#include "ir/index/range.h"

#include <doctest/doctest.h>

#include <random>

#include "ir/index/simplify.h"
#include "ir/text/text.h"
#include "tests/random_index.h"

using namespace ir;

namespace {

/// `truncate(max((i + 0.5) * scale - 0.5, 0))` of 100 indices, as images are resized.
Range placesIn(double scale) {
  ExprPool pool;
  const auto number = [&](double value) { return pool.constant(DType::F32, value); };
  const Expr* middle = pool.make(Op::Add, {pool.cast(DType::F32, pool.axis(100)), number(0.5)});
  const Expr* source = pool.make(Op::Sub, {pool.make(Op::Mul, {middle, number(scale)}), number(0.5)});
  return boundsOf(pool.cast(DType::I64, pool.make(Op::Max, {source, number(0)})));
}

}  // namespace

TEST_CASE("floats that are rounded to indices have bounds: rounding moves their ends by less than one") {
  CHECK(placesIn(0.5).least == 0);
  CHECK(placesIn(0.5).most == 49);
  CHECK(placesIn(2).most == 198);
  CHECK(!placesIn(1e30).fits32());
}

TEST_CASE("a float from memory has bounds where it is compared with a number, which NaN is not") {
  ExprPool pool;
  const Expr *x = pool.load(0, DType::F32, pool.integer(DType::I64, 0)), *least = pool.constant(DType::F32, -2.0);
  const Expr* most = pool.constant(DType::F32, 100.0);
  const auto bounds = [&](const Expr* from) { return boundsOf(pool.cast(DType::I64, pool.make(Op::Min, {from, most}))); };
  const Expr* compared = pool.make(Op::Where, {pool.make(Op::Lt, {least, x}), x, least});
  CHECK(bounds(compared).least == -2);
  CHECK(bounds(compared).most == 100);
  CHECK(!bounds(pool.make(Op::Max, {x, least})).fits32());  // NaN stays NaN
  CHECK(!bounds(x).fits32());
}

TEST_CASE("whatever an index is made of, its values are within its bounds") {
  tests::IndexLoops loops;
  int bounded = 0;
  constexpr uint64_t cases = 4000;
  for (uint64_t seed = 0; seed < cases; ++seed) {
    std::mt19937_64 random(seed);
    tests::RandomIndex make(loops.pool(), loops.leaves, [&](uint64_t bound) { return random() % bound; });
    const Expr* index = make.make(2 + static_cast<int>(seed % 4));
    CAPTURE(toText(index));
    const Range range = boundsOf(index);
    bounded += range.fits32() ? 1 : 0;
    for (const int64_t value : loops.values(index, index).first) {
      REQUIRE(value >= range.least);
      REQUIRE(value <= range.most);
    }
  }
  CHECK(bounded > cases / 8);
}
