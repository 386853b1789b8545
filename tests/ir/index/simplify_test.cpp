#include "ir/index/simplify.h"

#include <doctest/doctest.h>

#include <random>
#include <unordered_map>

#include "ir/text/parse_expr.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "tests/random_index.h"

using namespace ir;

namespace {

/// What becomes of an expression of `i` in 6, `j` in 4, `k` in 100 and of what is loaded, `x[k]`.
std::string simplified(const std::string& text) {
  ExprPool pool;
  const Buffer x{"x", TensorType::contiguous(DType::I64, {100}), -1, true, false};
  const Expr *i = pool.axis(6), *j = pool.axis(4), *k = pool.axis(100);
  ParseScope scope{pool, {&x}, {{"i", i}, {"j", j}, {"k", k}}, {}, 0};
  TokenReader tokens(text);
  std::string found = toText(simplify(pool, parseExpr(tokens, scope)));
  for (const auto& [number, name] : {std::pair("i0", "i"), std::pair("i1", "j"), std::pair("i2", "k"), std::pair("b0", "x")})
    for (size_t at = found.find(number); at != std::string::npos; at = found.find(number)) found.replace(at, 2, name);
  return found;
}

struct Size {
  double nodes = 0, notLinear = 0;  // of the tree
};

Size sizeOf(const Expr* root) {
  std::unordered_map<const Expr*, Size> sizes;
  for (const Expr* node : postorder({root})) {
    const bool isLinear = node->op == Op::Add || node->op == Op::Sub || node->op == Op::Neg || node->op == Op::Mul ||
                          node->op == Op::Axis || node->op == Op::Const;
    Size size{1, isLinear ? 0 : 1.0};
    for (const Expr* operand : node->src) {
      size.nodes += sizes[operand].nodes;
      size.notLinear += sizes[operand].notLinear;
    }
    sizes[node] = size;
  }
  return sizes[root];
}

}  // namespace

TEST_CASE("sums gather what is alike, and stay as they are written otherwise") {
  CHECK(simplified("i*4 + j - i*4") == "j");
  CHECK(simplified("i + j + i + 2 - 5") == "i*2 + j - 3");
  CHECK(simplified("(i*4 + j)*8 + 3") == "(i*4 + j)*8 + 3");
  CHECK(simplified("(i*4 + j)*8 - j*8") == "i*32");
  CHECK(simplified("5 - (5 - i)") == "i");
  CHECK(simplified("-(i - j)") == "j - i");
  CHECK(simplified("i*x[k] + j*0") == "i*x[k]");
}

TEST_CASE("a mask goes where it always holds, and the load where it never does") {
  CHECK(simplified("x[k + i if (0 <= k + i) & (k < 100) else 7]") == "x[k + i]");
  CHECK(simplified("x[k - 1 if (1 <= k) & (k < 101) else 7]") == "x[k - 1 if 1 <= k else 7]");
  CHECK(simplified("x[k if 100 <= k else j + 4*0]") == "j");
}

TEST_CASE("multiples leave a quotient, whatever the sign") {
  CHECK(simplified("floordiv(i*4 + j, 4)") == "i");
  CHECK(simplified("floordiv(i*8 + k, 4)") == "i*2 + floordiv(k, 4)");
  CHECK(simplified("floordiv(k - i*4, 4)") == "floordiv(k, 4) - i");
  CHECK(simplified("floordiv(k + 9, 4)") == "floordiv(k + 1, 4) + 2");
  CHECK(simplified("floordiv(j - 4, 4)") == "-1");
  CHECK(simplified("floordiv(j + 8, 4)") == "2");
}

TEST_CASE("multiples leave a remainder") {
  CHECK(simplified("(i*4 + j)%4") == "j");
  CHECK(simplified("(i*8 + k)%4") == "k%4");
  CHECK(simplified("(k - 1)%4") == "(k + 3)%4");
  CHECK(simplified("j%4") == "j");
  CHECK(simplified("(j + 4)%8") == "j + 4");
  CHECK(simplified("(k + i*200)%100") == "k");
}

TEST_CASE("a common factor leaves a division") {
  CHECK(simplified("floordiv(k*6, 12)") == "floordiv(k, 2)");
  CHECK(simplified("floordiv(k*6 + i, 12)") == "floordiv(k, 2)");
  CHECK(simplified("k*6%12") == "k%2*6");
  CHECK(simplified("(k*6 + i)%12") == "i + k%2*6");
}

TEST_CASE("divisions in one another") {
  CHECK(simplified("floordiv(floordiv(k, 4), 5)") == "floordiv(k, 20)");
  CHECK(simplified("floordiv(floordiv(k, 4) + 2, 5)") == "floordiv(k + 8, 20)");
  CHECK(simplified("k%20%4") == "k%4");
  CHECK(simplified("(k%20 + 3)%4") == "(k + 3)%4");
  CHECK(simplified("floordiv(k%20, 4)") == "floordiv(k, 4)%5");
  CHECK(simplified("floordiv(k%20, 3)") == "floordiv(k%20, 3)");
}

TEST_CASE("a quotient and a remainder of the same make it up again") {
  CHECK(simplified("floordiv(k, 7)*7 + k%7") == "k");
  CHECK(simplified("k%7*3 + i + floordiv(k, 7)*21") == "i + k*3");
  CHECK(simplified("floordiv(k, 4)%5*4 + k%4") == "k%20");
  CHECK(simplified("floordiv(k, 20)*20 + floordiv(k, 4)%5*4 + k%4") == "k");
  CHECK(simplified("floordiv(k*4 + j, 8)*8 + (k*4 + j)%8") == "j + k*4");
  CHECK(simplified("floordiv(k, 7)*5 + k%7") == "floordiv(k, 7)*5 + k%7");
}

TEST_CASE("what may wrap is not divided term by term") {
  CHECK(simplified("floordiv(x[k]*4 + j, 4)") == "floordiv(x[k]*4 + j, 4)");
  CHECK(simplified("x[k]*4%4") == "x[k]*4%4");
  CHECK(simplified("floordiv(x[k], 4)*4 + x[k]%4") == "x[k]");
  CHECK(simplified("x[k] + 1 < x[j]") == "x[k] + 1 < x[j]");
}

TEST_CASE("numbers at the ends of 64 bits are divided as any others") {
  CHECK(simplified("(i - 9223372036854775807 - 1)%3") == "(i + 1)%3");
  CHECK(simplified("floordiv(i - 9223372036854775807 - 1, 3)") == "floordiv(i + 1, 3) - 3074457345618258603");
  CHECK(simplified("i*(-9223372036854775807 - 1)%3").starts_with("i*"));
}

TEST_CASE("ranges decide minima, maxima, comparisons and choices") {
  CHECK(simplified("min(k, 99)") == "k");
  CHECK(simplified("max(min(k, 50), 0)") == "min(k, 50)");
  CHECK(simplified("max(k, k + i)") == "k + i");
  CHECK(simplified("abs(k - 100)") == "100 - k");
  CHECK(simplified("k < 100") == "true");
  CHECK(simplified("k + i < k") == "false");
  CHECK(simplified("i == k + 6") == "false");
  CHECK(simplified("i != i") == "false");
  CHECK(simplified("where(i*4 + j < 24, k, x[k])") == "k");
  CHECK(simplified("where(k < 50, i, i)") == "i");
  CHECK(simplified("x[min(k, 99)]") == "x[k]");
  CHECK(simplified("(k == 3) & (k == 3)") == "k == 3");
}

TEST_CASE("rounding towards zero is rounding down where nothing is negative") {
  CHECK(simplified("(i*4 + j)/4") == "i");
  CHECK(simplified("rem(i*4 + j, 4)") == "j");
  CHECK(simplified("(i*4 - j)/4") == "(i*4 - j)/4");
}

TEST_CASE("a cast and back keeps what the narrower dtype holds") {
  CHECK(simplified("i64(i32(k*7))") == "k*7");
  CHECK(simplified("i64(i8(k*7))") == "i64(i8(k*7))");
}

TEST_CASE("the axes of a reduction stay") {
  ExprPool pool;
  const Expr *one = pool.axis(1), *i = pool.axis(6);
  const Expr* sum = pool.reduce(Op::Add, pool.make(Op::Add, {one, i}), {one, i});
  CHECK(simplify(pool, sum) == pool.reduce(Op::Add, i, {one, i}));
}

TEST_CASE("random expressions keep their values, and are simplified no further") {
  constexpr uint64_t cases = 20000;
  tests::IndexLoops loops;
  int changed = 0;
  for (uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    tests::RandomIndex make(loops.pool(), loops.leaves, [&](uint64_t bound) { return random() % bound; });
    const Expr* written = make.make(2 + static_cast<int>(seed % 5));
    const Expr* simple = simplify(loops.pool(), written);
    CAPTURE(toText(written));
    CAPTURE(toText(simple));
    REQUIRE(simplify(loops.pool(), simple) == simple);
    changed += simple != written ? 1 : 0;
    if (simple != written) REQUIRE(loops.areSame(written, simple));
    // What is taken out of a division is a sum beside it, whose terms have each a factor of their own; nothing else grows.
    const Size before = sizeOf(written), after = sizeOf(simple);
    REQUIRE(after.notLinear <= before.notLinear);
    REQUIRE(after.nodes <= 2 * before.nodes);
  }
  CHECK(changed > cases / 4);
}

TEST_CASE("deep expressions and long sums take no more than their size") {
  ExprPool pool;
  const Expr *i = pool.axis(6), *deep = i, *sum = i;
  for (int n = 0; n < 20000; ++n) {
    deep = pool.make(n % 2 == 0 ? Op::Xor : Op::Max, {deep, pool.integer(DType::I64, 3 + n)});
    sum = pool.make(Op::Add, {sum, pool.make(Op::Xor, {i, pool.integer(DType::I64, n)})});
  }
  CHECK(simplify(pool, deep) == deep);
  CHECK(simplify(pool, sum) == sum);
}
