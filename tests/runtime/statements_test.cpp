// Loops, branches, vectors and memory accesses of kernels: machine code against the interpreter.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstring>

#include "ir/error.h"
#include "ir/text/text.h"
#include "lowering/schedule/apply.h"
#include "lowering/tensor/lowering.h"
#include "tests/random_expr.h"
#include "tests/runtime/cpu_kernel.h"
#include "tests/targets.h"

namespace {

using ir::DType;
using ir::Expr;
using ir::ExprPool;
using ir::Memory;
using ir::Op;

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same(int64_t a, int64_t b) { return a == b; }

/// `[3] is 1, not 2` for every element that differs; two NaN do not.
std::string differences(const Memory& found, const Memory& expected) {
  std::string text;
  const auto compare = [&](const auto& a) {
    const auto& b = std::get<std::remove_cvref_t<decltype(a)>>(expected.data);
    for (size_t i = 0; i < a.size(); ++i)
      if (!same(a[i], b[i])) text += fmt::format("[{}] is {}, not {}\n", i, a[i], b[i]);
  };
  std::visit(compare, found.data);
  return text;
}

/// Runs a kernel both ways on `memory` and compares all of it.
void checkStatements(const ir::Kernel& kernel, std::vector<Memory> memory, const ir::Target& target = runtime::Orc::host(1)) {
  runtime::Orc orc;
  std::vector<Memory> expected = memory;
  ir::interpret(kernel, expected);
  tests::run(orc, kernel, target, memory);
  for (size_t i = 0; i < memory.size(); ++i)
    CHECK_MESSAGE(differences(memory[i], expected[i]) == "", kernel.name, " parameter ", i);
}

const Expr* integer(ExprPool& pool, int64_t value) { return pool.integer(DType::I64, value); }

ir::Param param(const std::string& name, DType dtype, ir::Shape sizes, bool isWritten) {
  return {{name, ir::TensorType::contiguous(dtype, std::move(sizes)), -1, !isWritten, isWritten}, 1};
}

Memory counting(DType dtype, int64_t count) {
  Memory memory = Memory::zeros(dtype, count);
  std::visit(
      [](auto& data) {
        for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::remove_cvref_t<decltype(data[0])>>(i % 100);
      },
      memory.data);
  return memory;
}

/// Loops as they stand: outer axes one after another, the innermost one as the lanes of a vector, every access by lane.
ir::Kernel byLane(const ir::Loops& loops, const Expr* active = nullptr) {
  ir::Kernel kernel;
  kernel.name = loops.name;
  kernel.pool = loops.pool;
  for (const ir::Buffer& buffer : loops.buffers) kernel.params.push_back({buffer, 1});
  ir::Lanes lanes{loops.axes.empty() ? loops.pool->axis(1) : loops.axes.back(), active, {}};
  for (const ir::StoreTo& store : loops.stores) lanes.stores.push_back({store.buffer, store.offset, store.value, false});
  ir::Block body{{lanes}};
  for (size_t i = loops.axes.size(); i-- > 1;) body = {{ir::For{loops.axes[i - 1], ir::LoopKind::Serial, body}}};
  kernel.body = body;
  return kernel;
}

}  // namespace

TEST_CASE("random loops, each access by lane: gathers and scatters of every dtype") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const ir::Loops loops = tests::randomLoops(seed, {4, true, true});
    const std::vector<Memory> memory = tests::randomMemory(loops, seed);
    checkStatements(byLane(loops), memory);
    if (seed % 4 == 0) checkStatements(byLane(loops, integer(*loops.pool, 2)), memory);
  }
}

TEST_CASE("random loops as the CPU's schedule binds them") {
  for (uint64_t seed = 101; seed <= 140; ++seed) {
    const ir::Loops loops = tests::randomLoops(seed, {4, true, true});
    checkStatements(lowering::apply(loops, runtime::Orc::host(1)), tests::randomMemory(loops, seed));
  }
}

TEST_CASE("squares of tensors that cross the result, in whole and narrower vectors") {
  for (const std::string dtype : {"f32", "f16", "bf16", "f64", "u8"})
    for (const int vectorBytes : {64, 32, 16}) {
      ir::Target target = runtime::Orc::host(1);
      if (vectorBytes > target.vectorBytes) continue;
      target.vectorBytes = vectorBytes;
      const ir::Loops loops = lowering::lower(ir::parseGraph(fmt::format(R"(graph
  in condition b8[2, 69, 37] strides (2553, 1, 69)
  in self {0}[2, 69, 37]
  in other {0}[2, 69, 37] strides (2553, 1, 69)
  out0 {0}[2, 69, 37] = aten.where.self(condition=condition, self=self, other=other)
  return out0
)",
                                                                         dtype)))
                                  .front();
      checkStatements(lowering::apply(loops, target), tests::randomMemory(loops, 1), target);
    }
}

TEST_CASE("random expressions in whole and partly active vectors of 1 to 64 lanes") {
  const std::vector<DType> dtypes{DType::F32, DType::F16, DType::I32, DType::Bool, DType::F64, DType::U8};
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    tests::RandomOptions options;
    options.exactOnly = true;
    const DType out = dtypes[seed % dtypes.size()];
    const int lanes = 1 << (seed % 7);
    const int64_t count = seed % 2 == 0 ? 4 * lanes : 3 * lanes + 1;
    const ir::Kernel kernel =
        tests::pointwiseKernel(dtypes, count, lanes, [&](ExprPool& pool, const std::vector<const Expr*>& loads) {
          tests::RandomExpr random(pool, seed, options);
          return std::vector{random.make(out, loads), random.make(DType::F32, loads)};
        });
    std::vector<Memory> inputs;
    for (const DType dtype : dtypes) inputs.push_back(counting(dtype, count));
    if (auto& bools = std::get<std::vector<int64_t>>(inputs[3].data); true)
      for (int64_t& x : bools) x %= 2;
    checkStatements(kernel, tests::memoryFor(kernel, inputs));
  }
}

TEST_CASE("a partly active vector touches no memory past its last lane") {
  // Two buffers that end where the next page may not be touched.
  const auto pageEnd = [] {
    char* pages = static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(mprotect(pages + 4096, 4096, PROT_NONE) == 0);
    return pages + 4096;
  };
  char* inputEnd = pageEnd();
  char* outputEnd = pageEnd();
  runtime::Orc orc;
  for (const DType dtype : {DType::F32, DType::F16, DType::I64, DType::U8})
    for (const int vectorBytes : {64, 32, 16}) {
      ir::Target target = runtime::Orc::host(1);
      if (vectorBytes > target.vectorBytes) continue;
      target.vectorBytes = vectorBytes;
      const ir::Kernel kernel = tests::pointwiseKernel({dtype}, 5, 16, [](ExprPool&, const auto& loads) { return loads; });
      const runtime::HostCode code = orc.compile(codegen::emitLlvm(kernel, target), runtime::Cache());
      const auto bytes = static_cast<size_t>(5 * ir::sizeOf(dtype));
      std::memset(inputEnd - bytes, 7, bytes);
      std::memset(outputEnd - bytes, 0, bytes);
      void* pointers[] = {inputEnd - bytes, outputEnd - bytes};
      code.function(pointers, 0, 1);
      CHECK(std::memcmp(inputEnd - bytes, outputEnd - bytes, bytes) == 0);
    }
}

TEST_CASE("gathers of a partly active vector read active lanes alone") {
  // Lane l of row i reads element 3 * (16 * i + l); 20 of 32 lanes have one.
  ir::Kernel kernel;
  kernel.name = "strided";
  kernel.pool = std::make_shared<ExprPool>();
  ExprPool& pool = *kernel.pool;
  kernel.params = {param("in", DType::F32, {58}, false), param("half", DType::F16, {58}, false),
                   param("out", DType::F32, {20}, true)};
  const Expr* row = pool.axis(2);
  const Expr* lane = pool.axis(16);
  const Expr* first = pool.make(Op::Mul, {row, integer(pool, 16)});
  const Expr* offset = pool.make(Op::Mul, {pool.make(Op::Add, {first, lane}), integer(pool, 3)});
  const Expr* sum =
      pool.make(Op::Add, {pool.load(0, DType::F32, offset), pool.cast(DType::F32, pool.load(1, DType::F16, offset))});
  const Expr* active = pool.make(Op::Sub, {integer(pool, 20), first});
  kernel.body = {{ir::For{row, ir::LoopKind::Serial, {{ir::Lanes{lane, active, {{2, first, sum, true}}}}}}}};
  checkStatements(kernel, {counting(DType::F32, 58), counting(DType::F16, 58), Memory::zeros(DType::F32, 20)});
}

TEST_CASE("a mask that holds in no lane of a register, whatever the row, keeps that register from being read") {
  for (const DType dtype : {DType::F32, DType::F64, DType::I32, DType::I64, DType::F16})
    for (const int lanes : {4, 8, 16, 32}) {
      const ir::Kernel kernel = ir::parseKernel(fmt::format(R"(kernel corner on cpu
  launch 4 tasks, 1 at a time
  in  self {0}[128] align 64
  out out0 {0}[128] align 64
  for i0 in 4 task
    lanes l0 in {1}
      out0[i0*{1}] x{1} = self[i0*{1} if (i0 < 2) & (l0 < 3) else {0}(0)] x{1}
)",
                                                            ir::name(dtype), lanes));
      for (const ir::Target& target : {runtime::Orc::host(1), tests::avx2()})
        checkStatements(kernel, {counting(dtype, 128), Memory::zeros(dtype, 128)}, target);
    }
}

TEST_CASE("index arithmetic: a permuted copy through quotients and remainders, with 64 and with 32 bits") {
  for (const bool index32 : {false, true}) {
    ir::Kernel kernel;
    kernel.name = "permuted";
    kernel.index32 = index32;
    kernel.pool = std::make_shared<ExprPool>();
    ExprPool& pool = *kernel.pool;
    kernel.params = {param("in", DType::I32, {7, 48}, false), param("out", DType::I32, {48, 7}, true)};
    const Expr* task = pool.axis(21);
    const Expr* lane = pool.axis(16);
    const Expr* first = pool.make(Op::Mul, {task, integer(pool, 16)});
    const Expr* flat = pool.make(Op::Add, {first, lane});
    const Expr* column = pool.make(Op::FloorDiv, {flat, integer(pool, 7)});
    const Expr* row = pool.make(Op::Mod, {flat, integer(pool, 7)});
    const Expr* from = pool.make(Op::Add, {pool.make(Op::Mul, {row, integer(pool, 48)}), column});
    kernel.launch.tasks = 21;
    kernel.body = {
        {ir::For{task, ir::LoopKind::Task, {{ir::Lanes{lane, nullptr, {{1, first, pool.load(0, DType::I32, from), true}}}}}}}};
    checkStatements(kernel, {counting(DType::I32, 336), Memory::zeros(DType::I32, 336)});
  }
}

TEST_CASE("branches, nested loops, and values that do not depend on the lane") {
  // out[i][j] = i < 2 ? exp-free row value + column : -column, with the row value read once per row.
  ir::Kernel kernel;
  kernel.name = "branches";
  kernel.pool = std::make_shared<ExprPool>();
  ExprPool& pool = *kernel.pool;
  kernel.params = {param("rows", DType::F32, {4}, false), param("columns", DType::F32, {16}, false),
                   param("out", DType::F32, {4, 16}, true)};
  const Expr* i = pool.axis(4);
  const Expr* lane = pool.axis(8);
  const Expr* half = pool.axis(2);
  const Expr* column = pool.make(Op::Mul, {half, integer(pool, 8)});
  const Expr* at = pool.make(Op::Add, {pool.make(Op::Mul, {i, integer(pool, 16)}), column});
  const Expr* x = pool.load(1, DType::F32, column, ir::LoadMode::Contiguous);
  const Expr* row = pool.make(Op::Sqrt, {pool.load(0, DType::F32, i)});
  const ir::Lanes sum{lane, nullptr, {{2, at, pool.make(Op::Add, {row, x}), true}}};
  const ir::Lanes negated{lane, nullptr, {{2, at, pool.make(Op::Neg, {x}), true}}};
  const ir::If branch{pool.make(Op::Lt, {i, integer(pool, 2)}), {{sum}}, {{negated}}};
  kernel.body = {{ir::For{i, ir::LoopKind::Serial, {{ir::For{half, ir::LoopKind::Serial, {{branch}}}}}}}};
  checkStatements(kernel, {counting(DType::F32, 4), counting(DType::F32, 16), Memory::zeros(DType::F32, 64)});
}

TEST_CASE("a task range runs its iterations alone") {
  runtime::Orc orc;
  const ir::Kernel kernel = tests::pointwiseKernel({DType::I32}, 64, 8, [](ExprPool& pool, const auto& loads) {
    return std::vector{pool.make(Op::Add, {loads[0], pool.integer(DType::I32, 1)})};
  });
  const runtime::HostCode code = orc.compile(codegen::emitLlvm(kernel, runtime::Orc::host(1)), runtime::Cache());
  std::vector<int32_t> in(64, 4);
  std::vector<int32_t> out(64, 0);
  void* pointers[] = {in.data(), out.data()};
  code.function(pointers, 2, 4);
  for (size_t i = 0; i < out.size(); ++i) CHECK(out[i] == (i >= 16 && i < 32 ? 5 : 0));
  code.function(pointers, 3, 3);
}

TEST_CASE("stores in place, and around the caches") {
  ir::Kernel kernel;
  kernel.name = "in_place";
  kernel.pool = std::make_shared<ExprPool>();
  ExprPool& pool = *kernel.pool;
  kernel.params = {param("self", DType::F32, {64}, true), param("out", DType::F32, {64}, true)};
  kernel.params[0].buffer.isRead = true;
  kernel.params[1].alignment = 64;
  const Expr* i = pool.axis(4);
  const Expr* first = pool.make(Op::Mul, {i, integer(pool, 16)});
  const Expr* x = pool.load(0, DType::F32, first, ir::LoadMode::Contiguous);
  const Expr* doubled = pool.make(Op::Add, {x, x});
  kernel.body = {{ir::For{
      i, ir::LoopKind::Serial, {{ir::Lanes{pool.axis(16), nullptr, {{0, first, doubled, true}, {1, first, x, true}}}}}}}};
  checkStatements(kernel, {counting(DType::F32, 64), Memory::zeros(DType::F32, 64)});

  kernel.streamStores = true;
  const ir::KernelSource program = codegen::emitLlvm(kernel, runtime::Orc::host(1));
  CHECK(program.source.find("!nontemporal") != std::string::npos);
  CHECK(program.source.find("sfence") != std::string::npos);
  runtime::Orc orc;
  const runtime::HostCode code = orc.compile(program, runtime::Cache());
  alignas(64) std::array<float, 64> self{};
  alignas(64) std::array<float, 64> out{};
  self.fill(1.5F);
  void* pointers[] = {self.data(), out.data()};
  code.function(pointers, 0, 1);
  CHECK(self[63] == 3.0F);
  CHECK(out[63] == 1.5F);
}
