// Several loops of one call as fewer: which become one, and that they then compute the same.
#include "lowering/fusion/fuse_loops.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "ir/text/text.h"
#include "ir/value.h"
#include "ir/verify/verify.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/lowering/schedule/schedules.h"
#include "tests/lowering/values.h"
#include "tests/targets.h"

namespace {

using ir::Value;
using lowering::LoopNest;

constexpr int firstIntermediate = 20;
constexpr int64_t rows = 6, columns = 16;

/// Loops over a matrix of `rows` x `columns`, over its rows' values or over its columns', all of one pool. Values below 10 are
/// inputs, those from 20 on intermediates.
class Call {
 public:
  enum class Shape { Matrix, Transposed, Rows, Columns };

  std::vector<ir::Loops> loops;

  /// Begins loops over points of a shape.
  Call& over(Shape shape) {
    loops.push_back({fmt::format("loops{}", loops.size()), pool_, {}, {}, {}});
    row_ = pool_->axis(rows);
    column_ = pool_->axis(columns);
    if (shape != Shape::Columns) loops.back().axes.push_back(row_);
    if (shape != Shape::Rows) loops.back().axes.push_back(column_);
    return *this;
  }
  /// An element of a value at the point at hand.
  Value at(int value, Shape shape) { return load(value, shape, row_, column_); }
  /// The sum of a function's values along a row or a column.
  template <typename Body>
  Value sumOf(Shape along, Body body) {
    const ir::Expr* axis = pool_->axis(along == Shape::Rows ? columns : rows);
    const ir::Expr *&replaced = along == Shape::Rows ? column_ : row_, *outer = replaced;
    replaced = axis;
    const Value summed = body();
    replaced = outer;
    return {*pool_, pool_->reduce(ir::Op::Add, summed.expr(), {axis})};
  }
  /// Stores a value of a shape.
  void store(int value, Shape shape, Value stored) {
    const int buffer = bufferOf(value, shape);
    loops.back().buffers[static_cast<std::size_t>(buffer)].isWritten = true;
    loops.back().stores.push_back({buffer, offset(shape, row_, column_), stored.expr()});
  }

 private:
  Value load(int value, Shape shape, const ir::Expr* row, const ir::Expr* column) {
    const int buffer = bufferOf(value, shape);
    loops.back().buffers[static_cast<std::size_t>(buffer)].isRead = true;
    return {*pool_, pool_->load(buffer, ir::DType::F32, offset(shape, row, column))};
  }
  int bufferOf(int value, Shape shape) {
    std::vector<ir::Buffer>& buffers = loops.back().buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].value == value) return static_cast<int>(i);
    const ir::Shape sizes = shape == Shape::Rows      ? ir::Shape{rows}
                            : shape == Shape::Columns ? ir::Shape{columns}
                                                      : ir::Shape{rows, columns};
    buffers.push_back({fmt::format("v{}", value), ir::TensorType::contiguous(ir::DType::F32, sizes), value, false, false});
    return static_cast<int>(buffers.size() - 1);
  }
  const ir::Expr* offset(Shape shape, const ir::Expr* row, const ir::Expr* column) const {
    const Value r{*pool_, row}, c{*pool_, column};
    switch (shape) {
      case Shape::Matrix: return (r * columns + c).expr();
      case Shape::Transposed: return (c * rows + r).expr();
      case Shape::Rows: return row;
      case Shape::Columns: return column;
    }
    return nullptr;
  }

  ir::ExprPoolPtr pool_ = std::make_shared<ir::ExprPool>();
  const ir::Expr* row_ = nullptr;
  const ir::Expr* column_ = nullptr;
};

using Shape = Call::Shape;

tests::Values inputsOf(const Call& call) {
  tests::Values values;
  for (const ir::Loops& loops : call.loops) {
    const std::vector<ir::Memory> memory = tests::randomMemory(loops, 3);
    for (std::size_t i = 0; i < memory.size(); ++i)
      if (loops.buffers[i].value < 10) values.try_emplace(loops.buffers[i].value, memory[i]);
  }
  return values;
}

/// Compares the outputs of a call's loops with those of the fused ones, to the bit, and with those of the kernels.
std::vector<LoopNest> checkFused(const Call& call, const ir::Target& target) {
  std::string text;
  for (const ir::Loops& loops : call.loops) {
    text += ir::toText(loops) + "\n";
    ir::verify(loops);
  }
  const std::vector<LoopNest> fused = lowering::fuseLoops(lowering::analyze(call.loops, target), firstIntermediate, target);
  text += "fused\n";
  for (const LoopNest& nest : fused) text += ir::toText(nest.loops) + "\n";
  INFO(text);
  tests::Values expected = inputsOf(call), found = expected, byKernels = expected;
  for (const ir::Loops& loops : call.loops) tests::run(loops, expected);
  for (const LoopNest& nest : fused) {
    REQUIRE_NOTHROW(ir::verify(nest.loops));
    tests::run(nest.loops, found);
  }
  const lowering::LoopNests nests = lowering::analyzeJointly(fused, target);
  for (const ir::Kernel& kernel : tests::kernelsOf(nests, target)) {
    INFO(ir::toText(kernel));
    REQUIRE_NOTHROW(ir::verify(kernel));
    REQUIRE_NOTHROW(tests::run(kernel, byKernels));
  }
  for (const auto& [value, memory] : expected) {
    if (value >= firstIntermediate) continue;
    CAPTURE(value);
    REQUIRE(tests::same(found.at(value), memory));
    const auto &x = std::get<std::vector<double>>(memory.data), &y = std::get<std::vector<double>>(byKernels.at(value).data);
    for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == doctest::Approx(x[i]).epsilon(1e-3).scale(10));
  }
  return fused;
}

std::vector<LoopNest> checkFused(const Call& call) { return checkFused(call, tests::hopper()); }

/// The values that loops read or write, in their order.
std::vector<int> valuesOf(const LoopNest& nest) {
  std::vector<int> values;
  for (const ir::Buffer& buffer : nest.loops.buffers) values.push_back(buffer.value);
  return values;
}

TEST_CASE("a chain over one domain is one nest, which stores nothing in between") {
  Call call;
  call.over(Shape::Matrix).store(20, Shape::Matrix, call.at(0, Shape::Matrix) * 2);
  call.over(Shape::Matrix).store(21, Shape::Matrix, call.at(20, Shape::Matrix) + call.at(1, Shape::Columns));
  call.over(Shape::Matrix).store(10, Shape::Matrix, call.at(21, Shape::Matrix) * call.at(0, Shape::Matrix));
  for (const ir::Target& target : {tests::hopper(), tests::avx512()}) {
    const std::vector<LoopNest> fused = checkFused(call, target);
    REQUIRE(fused.size() == 1);
    CHECK(valuesOf(fused[0]) == std::vector<int>{0, 1, 10});
  }
}

TEST_CASE("a reduction of what is stored before it, and elements that need its results: a softmax of three loops is one nest") {
  Call call;
  call.over(Shape::Matrix).store(20, Shape::Matrix, exp(call.at(0, Shape::Matrix)));
  call.over(Shape::Rows).store(21, Shape::Rows, call.sumOf(Shape::Rows, [&] { return call.at(20, Shape::Matrix); }));
  call.over(Shape::Matrix).store(10, Shape::Matrix, call.at(20, Shape::Matrix) / call.at(21, Shape::Rows));
  const std::vector<LoopNest> fused = checkFused(call);
  REQUIRE(fused.size() == 1);
  CHECK(valuesOf(fused[0]) == std::vector<int>{0, 10});
  CHECK(fused[0].reduction->traversals() == 1);
  CHECK(checkFused(call, tests::avx512()).size() == 3);
}

TEST_CASE("siblings: reductions of one domain and elements are one nest, whatever their order; outputs stay stored") {
  for (const bool isElementsFirst : {true, false}) {
    Call call;
    const auto elements = [&] { call.over(Shape::Matrix).store(10, Shape::Matrix, -call.at(0, Shape::Matrix)); };
    if (isElementsFirst) elements();
    for (const int output : {11, 12}) {
      call.over(Shape::Rows).store(output, Shape::Rows, call.sumOf(Shape::Rows, [&] {
        return call.at(0, Shape::Matrix) * call.at(output - 10, Shape::Matrix);
      }));
    }
    if (!isElementsFirst) elements();
    const std::vector<LoopNest> fused = checkFused(call);
    REQUIRE(fused.size() == 1);
    CHECK(fused[0].loops.stores.size() == 3);
  }
}

TEST_CASE("the pair that saves most is fused first, then what can still be part of it") {
  Call call;
  call.over(Shape::Rows).store(20, Shape::Rows, call.sumOf(Shape::Rows, [&] { return call.at(0, Shape::Matrix); }));
  call.over(Shape::Columns).store(11, Shape::Columns, call.sumOf(Shape::Columns, [&] {
    return call.at(0, Shape::Matrix) * call.at(20, Shape::Rows);
  }));
  call.over(Shape::Columns).store(12, Shape::Columns, call.sumOf(Shape::Columns, [&] {
    return call.at(0, Shape::Matrix) * call.at(1, Shape::Matrix);
  }));
  call.over(Shape::Columns).store(13, Shape::Columns, call.sumOf(Shape::Columns, [&] {
    return call.at(0, Shape::Matrix) + call.at(1, Shape::Matrix) * call.at(11, Shape::Columns);
  }));
  const std::vector<LoopNest> fused = checkFused(call);
  REQUIRE(fused.size() == 2);
  CHECK(fused[0].loops.stores.size() == 1);
  REQUIRE(fused[1].loops.stores.size() == 3);
  CHECK(fused[1].loops.buffers[static_cast<std::size_t>(fused[1].loops.stores[1].buffer)].value == 12);
}

TEST_CASE(
    "a diamond whose sides reduce along different axes: its ends read one matrix and stay apart, or they would close a cycle") {
  Call call;
  call.over(Shape::Rows).store(20, Shape::Rows, call.sumOf(Shape::Rows, [&] { return call.at(0, Shape::Matrix); }));
  call.over(Shape::Rows).store(21, Shape::Rows, exp(call.at(20, Shape::Rows)));
  call.over(Shape::Columns).store(22, Shape::Columns, call.sumOf(Shape::Columns, [&] {
    return call.at(0, Shape::Matrix) * call.at(20, Shape::Rows);
  }));
  call.over(Shape::Matrix);
  call.store(10, Shape::Matrix, call.at(0, Shape::Matrix) + call.at(21, Shape::Rows) * call.at(22, Shape::Columns));
  const std::vector<LoopNest> fused = checkFused(call);
  CHECK(fused.size() == 4);
  // Without the sides the ends are one.
  Call ends;
  ends.over(Shape::Rows).store(20, Shape::Rows, ends.sumOf(Shape::Rows, [&] { return ends.at(0, Shape::Matrix); }));
  ends.over(Shape::Matrix).store(10, Shape::Matrix, ends.at(0, Shape::Matrix) + ends.at(20, Shape::Rows));
  CHECK(checkFused(ends).size() == 1);
}

TEST_CASE("values that are read at other points than they are stored, and in-place updates, keep loops apart") {
  Call transposed;
  transposed.over(Shape::Matrix).store(20, Shape::Matrix, transposed.at(0, Shape::Matrix) * 2);
  transposed.over(Shape::Matrix);
  transposed.store(10, Shape::Matrix, transposed.at(20, Shape::Transposed) + transposed.at(0, Shape::Matrix));
  CHECK(checkFused(transposed).size() == 2);

  Call inPlace;
  inPlace.over(Shape::Rows).store(10, Shape::Rows, inPlace.sumOf(Shape::Rows, [&] { return inPlace.at(0, Shape::Matrix); }));
  inPlace.over(Shape::Matrix).store(0, Shape::Matrix, inPlace.at(0, Shape::Matrix) * 3);
  inPlace.over(Shape::Rows).store(11, Shape::Rows, inPlace.sumOf(Shape::Rows, [&] { return inPlace.at(0, Shape::Matrix); }));
  CHECK(checkFused(inPlace).size() == 3);
}

TEST_CASE("sums of a value that is the same in all rows stay apart from it: inside they would depend on no row") {
  Call call;
  call.over(Shape::Matrix).store(20, Shape::Matrix, abs(call.at(3, Shape::Columns)));
  call.over(Shape::Rows).store(10, Shape::Rows, call.sumOf(Shape::Rows, [&] { return call.at(20, Shape::Matrix); }));
  CHECK(checkFused(call).size() == 2);
}

TEST_CASE("elements and sums of their columns: one nest on a GPU where the matrix is large, also by a view of it") {
  const auto nestsOf = [](int rows, const ir::Target& target) {
    const std::string lines = fmt::format(R"(graph
  in grad_output f16[32, {0}, 768]
  in self f16[32, {0}, 768]
  y0 f16[32, {0}, 768] = aten.silu_backward.default(grad_output=grad_output, self=self)
  y1 f16[{1}, 768] of y0 = aten.view.default(self=y0, size=[{1}, 768])
  y2 f16[1, 768] = aten.sum.dim_IntList(self=y1, dim=[0], keepdim=True, dtype=None)
  return y0, y2
)",
                                          rows, 32 * rows);
    const ir::Graph graph = ir::parseGraph(lines);
    return lowering::fuseLoops(lowering::analyze(lowering::lower(graph, target.backend), target), graph.values.size(), target)
        .size();
  };
  CHECK(nestsOf(197, tests::hopper()) == 1);
  CHECK(nestsOf(11, tests::hopper()) == 2);
  CHECK(nestsOf(197, tests::avx512()) == 2);
}

TEST_CASE("intermediates that are left are numbered without gaps") {
  Call call;
  call.over(Shape::Matrix).store(20, Shape::Matrix, call.at(0, Shape::Matrix) * 2);
  call.over(Shape::Matrix).store(21, Shape::Matrix, call.at(20, Shape::Matrix) + 1);
  call.over(Shape::Matrix).store(10, Shape::Matrix, call.at(21, Shape::Transposed));
  const std::vector<LoopNest> fused = checkFused(call);
  REQUIRE(fused.size() == 2);
  CHECK(valuesOf(fused[0]) == std::vector<int>{0, 20});
  CHECK(valuesOf(fused[1]) == std::vector<int>{20, 10});
}

/// Three to six loops: elements, rows, columns, and values of rows or columns alone, of inputs and of what loops before them
/// store.
Call randomCall(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t bound) { return random() % bound; };
  std::vector<std::pair<int, Shape>> known{{0, Shape::Matrix}, {1, Shape::Matrix}, {2, Shape::Rows}, {3, Shape::Columns}};
  Call call;
  int output = 10, intermediate = firstIntermediate;
  const uint64_t count = 3 + below(4);
  for (uint64_t i = 0; i < count; ++i) {
    const bool isLast = i + 1 == count;
    const Shape shape = std::array{Shape::Matrix, Shape::Matrix, Shape::Rows, Shape::Columns}[below(4)];
    const bool sums = shape != Shape::Matrix && below(4) > 0;
    call.over(shape);
    const auto operand = [&](bool isMatrix = false) {
      for (;;) {
        const auto [value, of] = known[below(known.size())];
        const bool fits = isMatrix ? of == Shape::Matrix : sums || shape == Shape::Matrix || of == shape;
        if (!fits) continue;
        const bool turns = of == Shape::Matrix && below(8) == 0;
        return call.at(value, turns ? Shape::Transposed : of);
      }
    };
    const auto body = [&] {
      Value x = operand(sums);
      for (uint64_t more = below(3); more > 0; --more) x = below(2) == 0 ? x * operand() : x + operand();
      return below(3) == 0 ? abs(x) : x;
    };
    const Value stored = sums ? call.sumOf(shape, body) * 0.125 : body();
    const int value = isLast || below(2) == 0 ? output++ : intermediate++;
    call.store(value, shape, stored);
    known.emplace_back(value, shape);
  }
  return call;
}

TEST_CASE("random calls: what is fused computes what the loops do, and so do its kernels") {
  std::size_t before = 0, after = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Call call = randomCall(seed);
    before += call.loops.size();
    for (const ir::Target& target : {tests::hopper(), tests::avx512()}) {
      const std::size_t count = checkFused(call, target).size();
      if (target.backend == ir::Backend::Cuda) after += count;
    }
  }
  CHECK(after < before * 3 / 4);
}

}  // namespace
