#include "ir/index/lane_run.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ir/text/parse_expr.h"
#include "ir/text/text.h"

using namespace ir;

namespace {

/// How an index of `i` in 100 and of what is loaded, `x[i]`, runs through eight lanes `l`, by multiples of 4.
std::string runOf(const std::string& text) {
  ExprPool pool;
  const Buffer x{"x", TensorType::contiguous(DType::I64, {100}), -1, true, false};
  const Expr *i = pool.axis(100), *l = pool.axis(8);
  ParseScope scope{pool, {&x}, {{"i", i}, {"l", l}}, {}, 0};
  TokenReader tokens(text);
  const auto run = laneRun(pool, parseExpr(tokens, scope), l, 4);
  return run ? fmt::format("{} + {} + {}*l of {}", toText(run->first), run->begin, run->step, run->extent(8)) : "none";
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
}
