#include "ir/index/lane_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/text/parse_expr.h"
#include "ir/text/text.h"

using namespace ir;

namespace {

/// An index of `i` in 100 and of what is loaded, `x[i]`, along eight lanes `l`.
struct Index {
  explicit Index(const std::string& text) {
    const Buffer x{"x", TensorType::contiguous(DType::I64, {100}), -1, true, false};
    ParseScope scope{pool, {&x}, {{"i", i}, {"l", lane}}, {}, 8};
    TokenReader tokens(text);
    expr = parseExpr(tokens, scope);
  }
  ExprPool pool;
  const Expr* i = pool.axis(100);
  const Expr* lane = pool.axis(8);
  const Expr* expr = nullptr;
};

/// How it runs through the lanes, by multiples of 4.
std::string runOf(const std::string& text) {
  Index index(text);
  const auto run = laneRun(index.pool, index.expr, index.lane, 4);
  return run ? fmt::format("{} + {} + {}*l of {}", toText(run->first), run->begin, run->step, run->extent(8)) : "none";
}

/// How far apart the indices of two lanes are.
std::optional<int64_t> stepOf(const std::string& text) {
  Index index(text);
  return laneStep(index.pool, index.expr, index.lane);
}

}  // namespace

TEST_CASE("an index through the lanes of a vector: from a multiple, with a beginning and a step") {
  CHECK(runOf("i*8 + l") == "i0*8 + 0 + 1*l of 8");
  CHECK(runOf("i*8 + l + 3") == "i0*8 + 3 + 1*l of 12");
  CHECK(runOf("i*8 + l - 1") == "i0*8 - 4 + 3 + 1*l of 12");
  CHECK(runOf("(i*8 + l)*2 + 1") == "i0*16 + 1 + 2*l of 16");
  CHECK(runOf("floordiv(i, 3)*4 + l") == "floordiv(i0, 3)*4 + 0 + 1*l of 8");
  CHECK(runOf("x[i]*4 + l") == "b0[i0]*4 + 0 + 1*l of 8");
  CHECK(runOf("l") == "0 + 0 + 1*l of 8");
}

TEST_CASE("no such run: a distance to a multiple that is not known, lanes that turn back, stand still or are not linear") {
  CHECK(runOf("i + l") == "none");
  CHECK(runOf("i*6 + l") == "none");
  CHECK(runOf("i*8 - l") == "none");
  CHECK(runOf("i*8") == "none");
  CHECK(runOf("i*8 + floordiv(l, 2)") == "none");
  CHECK(runOf("x[l]*4 + l") == "none");
  CHECK(runOf("x[i] x8*4 + l") == "none");
}

TEST_CASE("lanes are as far apart as the index says, whatever it starts from") {
  CHECK(stepOf("x[i]*6 + floordiv(i, 3) - l*2") == -2);
  CHECK(stepOf("i*6 + 1") == 0);
  CHECK_FALSE(stepOf("i*8 + floordiv(l, 2)"));
  CHECK_FALSE(stepOf("x[l] + l"));
  CHECK_FALSE(stepOf("x[i] x8 + l"));
}
