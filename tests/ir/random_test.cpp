#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "ir/walk.h"
#include "tests/random_expr.h"

using namespace ir;

namespace {

constexpr uint64_t cases = 1000;

/// Equal to the bit, but for which NaN it is.
bool same(const Memory& a, const Memory& b) {
  const auto* x = std::get_if<std::vector<double>>(&a.data);
  if (x == nullptr) return a.data == b.data;
  const auto& y = std::get<std::vector<double>>(b.data);
  return std::equal(x->begin(), x->end(), y.begin(), y.end(), [](double p, double q) {
    return (std::isnan(p) && std::isnan(q)) || std::bit_cast<uint64_t>(p) == std::bit_cast<uint64_t>(q);
  });
}

std::vector<Memory> outputs(const Loops& loops, uint64_t seed, bool roundEach = true) {
  std::vector<Memory> memory = tests::randomMemory(loops, seed);
  interpret(loops, memory, roundEach);
  return memory;
}

const Expr* unrolled(ExprPool& pool, const Expr* expr);

/// `sum` combined with what `body` comes to at all points of the axes from the `depth`th on.
const Expr* combined(ExprPool& pool, const Expr* reduce, size_t depth, const Expr* body, const Expr* sum) {
  if (depth == reduce->src.size()) return pool.make(reduce->reduction(), {sum, unrolled(pool, body)});
  const Expr* axis = reduce->src[depth];
  for (int64_t i = 0; i < axis->axis().extent; ++i)
    sum = combined(pool, reduce, depth + 1, substitute(pool, body, axis, pool.integer(DType::I64, i)), sum);
  return sum;
}

/// `expr` with no reduction left in it.
const Expr* unrolled(ExprPool& pool, const Expr* expr) {
  return rewrite(pool, expr, [&](const Expr* node) -> const Expr* {
    if (node->op != Op::Reduce) return nullptr;
    return combined(pool, node, 1, node->src[0], pool.identity(node->reduction(), node->dtype));
  });
}

}  // namespace

TEST_CASE("random loops verify, print, read back and mean the same") {
  for (const bool reductions : {false, true}) {
    tests::RandomOptions options;
    options.reductions = reductions;
    for (uint64_t seed = 0; seed < cases; ++seed) {
      CAPTURE(seed);
      const Loops loops = tests::randomLoops(seed, options);
      REQUIRE_NOTHROW(verify(loops));
      const std::string text = toText(loops);
      const Loops again = parseLoops(text);
      REQUIRE(toText(again) == text);
      const std::vector<Memory> first = outputs(loops, seed);
      const std::vector<Memory> second = outputs(again, seed);
      for (size_t i = 0; i < first.size(); ++i) REQUIRE(same(first[i], second[i]));
    }
  }
}

TEST_CASE("a reduction means its operation on the body at one point after another") {
  tests::RandomOptions options;
  options.reductions = true;
  options.depth = 3;
  options.maxExtent = 3;
  for (uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    Loops loops = tests::randomLoops(seed, options);
    const std::vector<Memory> reduced = outputs(loops, seed, false);
    for (StoreTo& store : loops.stores) store.value = unrolled(*loops.pool, store.value);
    const std::vector<Memory> unrolled = outputs(loops, seed, false);
    for (size_t i = 0; i < reduced.size(); ++i) REQUIRE(same(reduced[i], unrolled[i]));
  }
}

TEST_CASE("the same seed gives the same loops and the same data") {
  CHECK(toText(tests::randomLoops(7)) == toText(tests::randomLoops(7)));
  CHECK(toText(tests::randomLoops(7)) != toText(tests::randomLoops(8)));
}

TEST_CASE("a random graph prints and reads back as itself") {
  std::mt19937_64 random(1);
  const std::vector<Argument> arguments{Argument(None{}),
                                        Argument(true),
                                        Argument(int64_t{-7}),
                                        Argument(1e-30),
                                        Argument(2.0),
                                        Argument(std::string("a\\\"\n")),
                                        Argument(DType::F16),
                                        Argument(Symbol{"strided"}),
                                        Argument(DeviceName{"cpu"}),
                                        Argument(std::complex<double>(1, -2)),
                                        Argument(ValueRef{0}),
                                        Argument(SparseTensor{"ST([1])"})};
  for (int i = 0; i < 200; ++i) {
    Graph graph;
    graph.values.push_back({"self", TensorType::contiguous(DType::F32, {static_cast<int64_t>(random() % 5), 3})});
    graph.inputs = {0};
    Node node{"aten.f.default", {}, {}, {}};
    for (int a = 0; a < 5; ++a) {
      Argument value = arguments[random() % arguments.size()];
      while (random() % 3 == 0) value = Argument(List{{value, arguments[random() % arguments.size()]}, random() % 2 == 0});
      node.args.push_back({"a" + std::to_string(a), value});
    }
    graph.values.push_back({"out0", TensorType{DType::F16, {2, 2}, {1, 2}}});
    node.outputs = {1};
    graph.nodes.push_back(node);
    graph.outputs = {1};
    REQUIRE_NOTHROW(verify(graph));
    REQUIRE(parseGraph(toText(graph)) == graph);
  }
}
