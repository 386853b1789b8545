// Local arrays, accumulating stores, unrolled loops and what follows the tasks: machine code against the interpreter.
#include <doctest/doctest.h>

#include <cmath>

#include "ir/error.h"
#include "tests/runtime/cpu_kernel.h"

namespace {

using ir::DType;
using ir::Expr;
using ir::LoopKind;
using ir::Memory;
using ir::Op;
using ir::Space;

/// A kernel as it is written down.
struct Sketch {
  ir::Kernel kernel;
  ir::ExprPool& pool;

  explicit Sketch(const std::string& name) : kernel(named(name)), pool(*kernel.pool) {}

  static ir::Kernel named(const std::string& name) {
    ir::Kernel kernel;
    kernel.name = name;
    kernel.pool = std::make_shared<ir::ExprPool>();
    return kernel;
  }

  int param(DType dtype, int64_t count, bool isRead, bool isWritten) {
    const std::string name = "b" + std::to_string(kernel.params.size());
    kernel.params.push_back({{name, ir::TensorType::contiguous(dtype, {count}), -1, isRead, isWritten}, 1});
    return static_cast<int>(kernel.params.size()) - 1;
  }
  int in(DType dtype, int64_t count) { return param(dtype, count, true, false); }
  int out(DType dtype, int64_t count) { return param(dtype, count, false, true); }
  /// After all parameters.
  int local(DType dtype, int64_t count, int lanes, Space space = Space::Private) {
    const std::string name = "local" + std::to_string(kernel.locals.size());
    kernel.locals.push_back({{name, ir::TensorType::contiguous(dtype, {count}), -1, true, true}, space, lanes});
    return static_cast<int>(kernel.params.size() + kernel.locals.size()) - 1;
  }

  const Expr* number(int64_t value) { return pool.integer(DType::I64, value); }
  const Expr* plus(const Expr* a, const Expr* b) { return pool.make(Op::Add, {a, b}); }
  const Expr* times(const Expr* a, int64_t b) { return pool.make(Op::Mul, {a, number(b)}); }
  const Expr* element(int buffer, const Expr* offset) { return pool.load(buffer, kernel.buffer(buffer).type.dtype, offset); }
  const Expr* vector(int buffer, const Expr* offset) {
    return pool.load(buffer, kernel.buffer(buffer).type.dtype, offset, ir::LoadMode::Contiguous);
  }

  ir::Statement lanes(int count, std::vector<ir::Store> stores, const Expr* active = nullptr, const Expr* first = nullptr) {
    return {ir::Lanes{pool.axis(count), active, std::move(stores), first}};
  }
  ir::Statement loop(LoopKind kind, int64_t extent, const std::function<ir::Block(const Expr*)>& body) {
    const Expr* axis = pool.axis(extent);
    if (kind == LoopKind::Task) kernel.launch.tasks = extent;
    return {ir::For{axis, kind, body(axis)}};
  }
};

Memory floats(DType dtype, int64_t count, const std::function<double(int64_t)>& value) {
  Memory memory = Memory::zeros(dtype, count);
  for (int64_t i = 0; i < count; ++i) std::get<std::vector<double>>(memory.data)[static_cast<size_t>(i)] = value(i);
  return memory;
}
Memory integers(DType dtype, int64_t count, const std::function<int64_t(int64_t)>& value) {
  Memory memory = Memory::zeros(dtype, count);
  for (int64_t i = 0; i < count; ++i)
    std::get<std::vector<int64_t>>(memory.data)[static_cast<size_t>(i)] = ir::wrap(dtype, value(i));
  return memory;
}
Memory numbers(DType dtype, int64_t count, const std::function<int64_t(int64_t)>& value) {
  if (!ir::isFloating(dtype)) return integers(dtype, count, value);
  return floats(dtype, count, [&](int64_t i) { return static_cast<double>(value(i)); });
}
/// Small numbers, of both signs where the dtype has them, so that sums are exact in any order.
int64_t scattered(int64_t i) { return i * 7 % 23 - 11; }

bool near(double a, double b, double tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * std::abs(b);
}
bool near(int64_t a, int64_t b, double) { return a == b; }

/// Runs a kernel both ways; what it stores may differ by `tolerance`, relative.
void check(const ir::Kernel& kernel, std::vector<Memory> memory, double tolerance = 0,
           const ir::Target& target = runtime::Orc::host(1)) {
  runtime::Orc orc;
  std::vector<Memory> expected = memory;
  ir::interpret(kernel, expected);
  tests::run(orc, kernel, target, memory);
  for (size_t i = 0; i < memory.size(); ++i) {
    std::string differences;
    const auto compare = [&](const auto& found) {
      const auto& wanted = std::get<std::remove_cvref_t<decltype(found)>>(expected[i].data);
      for (size_t j = 0; j < found.size(); ++j)
        if (!near(found[j], wanted[j], tolerance)) differences += fmt::format("[{}] is {}, not {}\n", j, found[j], wanted[j]);
    };
    std::visit(compare, memory[i].data);
    CHECK_MESSAGE(differences == "", kernel.name, " parameter ", i);
  }
}

/// How often the word occurs in the machine code.
int64_t count(const ir::Kernel& kernel, const std::string& word) {
  const std::string text = runtime::Orc().assembly(codegen::emitLlvm(kernel, runtime::Orc::host(1)));
  int64_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

/// The sums of rows: four accumulators of 16 lanes, a tail of whole vectors, and a masked one.
ir::Kernel rowSum(int64_t rows, int64_t columns) {
  Sketch k("row_sum");
  const int in = k.in(DType::F32, rows * columns), out = k.out(DType::F32, rows);
  const int sums = k.local(DType::F32, 64, 16), total = k.local(DType::F32, 1, 1);
  k.kernel.body = {k.loop(LoopKind::Task, rows, [&](const Expr* row) -> ir::Block {
    const Expr* start = k.times(row, columns);
    const auto slot = [&](const Expr* i) { return k.times(i, 16); };
    const auto each = [&](LoopKind kind, int64_t extent, const auto& statement) {
      return k.loop(kind, extent, [&](const Expr* i) -> ir::Block { return {statement(i)}; });
    };
    const auto clear = [&](const Expr* i) { return k.lanes(16, {{sums, slot(i), k.pool.constant(DType::F32, 0), true}}); };
    const auto block = [&](const Expr* i) {
      return each(LoopKind::Unrolled, 4, [&](const Expr* j) {
        const Expr* at = k.plus(start, k.plus(k.times(i, 64), slot(j)));
        return k.lanes(16, {{sums, slot(j), k.vector(in, at), true, Op::Add}});
      });
    };
    const int64_t blocks = columns / 64, left = columns % 64;
    const auto tail = [&](const Expr* j) {
      const Expr* at = k.plus(start, k.plus(k.number(64 * blocks), slot(j)));
      const Expr* active = k.pool.make(Op::Sub, {k.number(left), slot(j)});
      return k.lanes(16, {{sums, slot(j), k.vector(in, at), true, Op::Add}}, active);
    };
    const auto fold = [&](const Expr* j) { return k.lanes(16, {{total, k.number(0), k.vector(sums, slot(j)), false, Op::Add}}); };
    ir::Block body{each(LoopKind::Unrolled, 4, clear)};
    if (blocks > 0) body.push_back(each(LoopKind::Serial, blocks, block));
    if (left > 0) body.push_back(each(LoopKind::Unrolled, (left + 15) / 16, tail));
    body.push_back(k.lanes(1, {{total, k.number(0), k.pool.constant(DType::F32, 0), true}}));
    body.push_back(each(LoopKind::Unrolled, 4, fold));
    body.push_back(k.lanes(1, {{out, row, k.element(total, k.number(0)), true}}));
    return body;
  })};
  return k.kernel;
}

/// Softmax of rows of f16 in vectors of 16, the last one masked: the row is held as it was loaded, or read again.
ir::Kernel softmax(int64_t rows, int64_t columns, bool isHeld) {
  Sketch k("softmax");
  const int in = k.in(DType::F16, rows * columns), out = k.out(DType::F16, rows * columns);
  const int held = k.local(DType::F16, (columns + 15) / 16 * 16, 16), top = k.local(DType::F32, 1, 1);
  const int total = k.local(DType::F32, 1, 1);
  const Expr* zero = k.number(0);
  k.kernel.body = {k.loop(LoopKind::Task, rows, [&](const Expr* row) -> ir::Block {
    const Expr* start = k.times(row, columns);
    const auto value = [&](const Expr* i) { return isHeld ? k.vector(held, i) : k.vector(in, k.plus(start, i)); };
    const auto wide = [&](const Expr* i) { return k.pool.cast(DType::F32, value(i)); };
    const auto exponential = [&](const Expr* i) {
      return k.pool.make(Op::Exp, {k.pool.make(Op::Sub, {wide(i), k.element(top, zero)})});
    };
    const auto overRow = [&](const std::function<ir::Store(const Expr*)>& store) -> ir::Block {
      const LoopKind kind = isHeld ? LoopKind::Unrolled : LoopKind::Serial;
      const auto vectors = [&](const Expr* i) -> ir::Block { return {k.lanes(16, {store(k.times(i, 16))})}; };
      const Expr* last = k.number(columns / 16 * 16);
      return {k.loop(kind, columns / 16, vectors), k.lanes(16, {store(last)}, k.number(columns % 16))};
    };
    const auto start1 = [&](int local, double value) {
      return k.lanes(1, {{local, zero, k.pool.constant(DType::F32, value), true}});
    };
    ir::Block body;
    const auto add = [&](ir::Block more) { body.insert(body.end(), more.begin(), more.end()); };
    if (isHeld) add(overRow([&](const Expr* i) { return ir::Store{held, i, k.vector(in, k.plus(start, i)), true}; }));
    add({start1(top, -INFINITY), start1(total, 0)});
    add(overRow([&](const Expr* i) { return ir::Store{top, zero, wide(i), false, Op::Max}; }));
    add(overRow([&](const Expr* i) { return ir::Store{total, zero, exponential(i), false, Op::Add}; }));
    add(overRow([&](const Expr* i) {
      const Expr* share = k.pool.make(Op::Div, {k.pool.constant(DType::F32, 1), k.element(total, zero)});
      const Expr* result = k.pool.make(Op::Mul, {exponential(i), share});
      return ir::Store{out, k.plus(start, i), k.pool.cast(DType::F16, result), true};
    }));
    return body;
  })};
  return k.kernel;
}

/// The whole sum of `tasks` parts of 48 elements: each task leaves a partial sum, what follows adds them up.
ir::Kernel fullSum(int64_t tasks) {
  Sketch k("full_sum");
  const int in = k.in(DType::I32, tasks * 48), out = k.out(DType::I64, 1);
  const int partial = k.local(DType::I64, tasks, 1, Space::Global), calls = k.local(DType::I64, 1, 1, Space::Global);
  const int sum = k.local(DType::I64, 1, 1);
  const Expr* zero = k.number(0);
  k.kernel.body = {k.loop(LoopKind::Task, tasks,
                          [&](const Expr* task) -> ir::Block {
                            const auto part = [&](const Expr* i) -> ir::Block {
                              const Expr* at = k.plus(k.times(task, 48), k.times(i, 16));
                              return {k.lanes(16, {{sum, zero, k.pool.cast(DType::I64, k.vector(in, at)), false, Op::Add}})};
                            };
                            return {k.lanes(1, {{sum, zero, zero, true}}), k.loop(LoopKind::Serial, 3, part),
                                    k.lanes(1, {{partial, task, k.element(sum, zero), true}})};
                          }),
                   k.lanes(1, {{sum, zero, zero, true}, {calls, zero, zero, true}}),
                   k.loop(LoopKind::Serial, tasks,
                          [&](const Expr* i) -> ir::Block {
                            return {k.lanes(1, {{sum, zero, k.element(partial, i), true, Op::Add},
                                                {calls, zero, k.number(1), true, Op::Add}})};
                          }),
                   k.lanes(1, {{out, zero, k.plus(k.element(sum, zero), k.element(calls, zero)), true}})};
  return k.kernel;
}

/// `out[f(l)] op= in[l]` for the lanes [first, active) of one vector, by way of a local array or in place.
ir::Kernel accumulating(Op op, DType dtype, int count, int sharing, bool inPlace, const Expr* (*bounds)(Sketch&, int64_t),
                        int64_t first, int64_t active) {
  Sketch k("accumulating");
  const int in = k.in(dtype, count);
  k.in(DType::I64, 1);
  const int out = k.param(dtype, count, true, true);
  const int held = inPlace ? out : k.local(dtype, count, count);
  const Expr* zero = k.number(0);
  if (!inPlace) k.kernel.body.push_back(k.lanes(count, {{held, zero, k.vector(out, zero), true}}));
  const Expr* lane = k.pool.axis(count);
  const Expr* at = sharing == 0 ? zero : k.pool.make(Op::FloorDiv, {lane, k.number(sharing)});
  ir::Lanes statement{lane, bounds(k, active), {{held, at, k.vector(in, zero), false, op}}, bounds(k, first)};
  if (sharing == 1) statement.stores = {{held, zero, k.vector(in, zero), true, op}};
  k.kernel.body.push_back({statement});
  if (!inPlace) k.kernel.body.push_back(k.lanes(count, {{out, zero, k.vector(held, zero), true}}));
  return k.kernel;
}

const Expr* known(Sketch& k, int64_t value) { return k.number(value); }
/// The same as a value that is known only when the kernel runs.
const Expr* unknown(Sketch& k, int64_t value) { return k.plus(k.element(1, k.number(0)), k.number(value)); }

}  // namespace

TEST_CASE("row sums with four vector accumulators and a tail") {
  for (const int64_t columns : {1, 5, 16, 33, 63, 64, 203, 320})
    check(rowSum(7, columns), {numbers(DType::F32, 7 * columns, scattered), Memory::zeros(DType::F32, 7)});
}

TEST_CASE("accumulators are registers") {
  const int vectorBytes = runtime::Orc::host(1).vectorBytes;
  if (vectorBytes >= 32) CHECK(count(rowSum(7, 192), "rsp") == 0);
  if (vectorBytes == 64) CHECK(count(rowSum(7, 203), "rsp") == 0);
}

TEST_CASE("softmax of rows that are held or read again") {
  for (const bool isHeld : {true, false})
    for (const int64_t columns : {19, 64, 77}) {
      const auto value = [](int64_t i) { return ir::round(DType::F16, static_cast<double>(scattered(i)) / 3); };
      check(softmax(3, columns, isHeld), {floats(DType::F16, 3 * columns, value), Memory::zeros(DType::F16, 3 * columns)}, 0.002);
    }
}

TEST_CASE("the same on CPUs with AVX2 and with SSE2 alone") {
  ir::Target target = runtime::Orc::host(1);
  const auto checkOn = [&](const char* arch, const char* features, int vectorBytes) {
    target.arch = arch;
    target.features = features;
    target.vectorBytes = vectorBytes;
    check(rowSum(3, 203), {numbers(DType::F32, 3 * 203, scattered), Memory::zeros(DType::F32, 3)}, 0, target);
    const Memory rows = floats(DType::F16, 3 * 77, [](int64_t i) { return static_cast<double>(scattered(i)); });
    for (const bool isHeld : {true, false})
      check(softmax(3, 77, isHeld), {rows, Memory::zeros(DType::F16, 3 * 77)}, 0.002, target);
    for (const DType dtype : {DType::F32, DType::I64, DType::U8})
      for (const int sharing : {0, 1, 2}) {
        const Memory numbered = numbers(dtype, 16, scattered);
        check(accumulating(Op::Max, dtype, 16, sharing, true, unknown, 2, 13), {numbered, Memory::zeros(DType::I64, 1), numbered},
              0, target);
      }
  };
  if (target.vectorBytes >= 32) checkOn("haswell", "+avx2,+fma,+f16c", 32);
  checkOn("x86-64", "", 16);
}

TEST_CASE("what a loop does not change is computed before it") {
  // One division a row, not one a vector.
  CHECK(count(softmax(3, 640, false), "div") == 1);
  CHECK(count(softmax(3, 77, true), "div") == 1);
}

TEST_CASE("a full sum: partial sums in the workspace, added up after the tasks") {
  for (const int64_t tasks : {1, 2, 9}) {
    const ir::Kernel kernel = fullSum(tasks);
    const ir::KernelSource program = codegen::emitLlvm(kernel, runtime::Orc::host(1));
    CHECK(program.hasEpilogue);
    CHECK(program.workspaceBytes == 512);
    check(kernel, {numbers(DType::I32, tasks * 48, scattered), Memory::zeros(DType::I64, 1)});
  }
}

TEST_CASE("accumulating stores: every operation and dtype, any number of lanes, some of which share elements") {
  const std::vector<DType> dtypes{DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64,
                                  DType::I32, DType::I16, DType::I8,  DType::U8,   DType::Bool};
  for (const DType dtype : dtypes)
    for (const Op op : {Op::Add, Op::Mul, Op::Max, Op::Min, Op::And, Op::Or}) {
      if ((op == Op::And || op == Op::Or) != (dtype == DType::Bool)) continue;
      for (const int lanes : {1, 2, 3, 7, 16, 32})
        for (const int sharing : {0, 1, 2}) {
          const bool isSmall = op == Op::Mul;
          const auto value = [&](int64_t i) { return isSmall ? (i % 5 == 0 ? -2 : 1) : scattered(i); };
          const std::vector<Memory> memory{numbers(dtype, lanes, value), Memory::zeros(DType::I64, 1),
                                           numbers(dtype, lanes, [](int64_t i) { return 2 - i % 2; })};
          const bool inPlace = (lanes + sharing) % 2 == 0;
          check(accumulating(op, dtype, lanes, sharing, inPlace, known, 0, lanes), memory);
          check(accumulating(op, dtype, lanes, sharing, inPlace, known, lanes / 3, lanes - 1), memory);
          check(accumulating(op, dtype, lanes, sharing, !inPlace, unknown, 1, lanes - 1), memory);
        }
    }
}

TEST_CASE("maxima and minima of what holds NaN are NaN, in whichever lane it is") {
  for (const Op op : {Op::Max, Op::Min})
    for (const DType dtype : {DType::F32, DType::F64, DType::F16})
      for (int64_t place = 0; place < 16; ++place) {
        const auto value = [&](int64_t i) { return i == place ? NAN : static_cast<double>(i); };
        const std::vector<Memory> memory{floats(dtype, 16, value), Memory::zeros(DType::I64, 1), Memory::zeros(dtype, 16)};
        for (const int sharing : {0, 1, 2}) check(accumulating(op, dtype, 16, sharing, false, known, 0, 16), memory);
        check(accumulating(op, dtype, 16, 0, false, known, 0, 9), memory);
      }
}

TEST_CASE("lanes before the first active one touch no memory; gathers and scatters among them") {
  // Lanes [5, 13) of the 16 from -5 on are elements [0, 8) of both buffers.
  for (const DType dtype : {DType::F32, DType::F16, DType::I64, DType::U8})
    for (const bool isContiguous : {true, false})
      for (const int vectorBytes : {64, 16}) {
        ir::Target target = runtime::Orc::host(1);
        target.vectorBytes = std::min(vectorBytes, target.vectorBytes);
        Sketch k("window");
        const int in = k.in(dtype, 8), out = k.out(dtype, 8);
        const Expr* lane = k.pool.axis(16);
        const Expr* at = isContiguous ? k.number(-5) : k.plus(lane, k.number(-5));
        const Expr* value = isContiguous ? k.vector(in, at) : k.element(in, at);
        k.kernel.body = {{ir::Lanes{lane, k.number(13), {{out, at, value, isContiguous}}, k.number(5)}}};
        check(k.kernel, {numbers(dtype, 8, scattered), Memory::zeros(dtype, 8)}, 0, target);
      }
}
