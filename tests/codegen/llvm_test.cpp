// The LLVM assembly of small kernels: what of it the other stages rely on.
#include "codegen/llvm/emit.h"

#include <doctest/doctest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include "codegen/llvm/values/transpose.h"
#include "ir/error.h"
#include "ir/text/text.h"
#include "tests/refusal.h"
#include "tests/targets.h"

namespace {

using ir::DType;
using ir::Expr;
using ir::Op;

/// out[i] = f(in[i]) over `count` elements in vectors of 16.
ir::Kernel mapped(DType dtype, Op op, int64_t count = 64) {
  ir::Kernel kernel;
  kernel.name = "mapped";
  kernel.pool = std::make_shared<ir::ExprPool>();
  ir::ExprPool& pool = *kernel.pool;
  kernel.params = {{{"in", ir::TensorType::contiguous(dtype, {count}), -1, true, false}, 64},
                   {{"out", ir::TensorType::contiguous(dtype, {count}), -1, false, true}, 64}};
  kernel.launch.tasks = count / 16;
  const Expr* task = pool.axis(count / 16);
  const Expr* first = pool.make(Op::Mul, {task, pool.integer(DType::I64, 16)});
  const Expr* value = pool.make(op, {pool.load(0, dtype, first, ir::LoadMode::Contiguous)});
  kernel.body = {{ir::For{task, ir::LoopKind::Task, {{ir::Lanes{pool.axis(16), nullptr, {{1, first, value, true}}}}}}}};
  return kernel;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a program is a function of the parameters' pointers and a range of tasks") {
  const ir::KernelSource program = codegen::emitLlvm(mapped(DType::F32, Op::Sqrt), tests::avx512());
  CHECK(program.name == "mapped");
  CHECK(program.backend == ir::Backend::Cpu);
  CHECK(program.options.empty());
  CHECK(program.arch == "skylake-avx512");
  CHECK(program.launch.tasks == 4);
  CHECK(program.params.size() == 2);
  CHECK(has(program.source, "define void @mapped(ptr noalias readonly %params, i64 %begin, i64 %end)"));
  CHECK(has(program.source, "load <16 x float>, ptr %"));
  CHECK(has(program.source, "!invariant.load"));
  CHECK(has(program.source, "call <16 x float> @llvm.sqrt.v16f32"));
  CHECK(has(program.source, "\"target-cpu\"=\"skylake-avx512\""));
  CHECK(has(program.source, "\"prefer-vector-width\"=\"512\""));
}

TEST_CASE("integer constants have all of their 64 bits") {
  const std::string source = codegen::emitLlvm(ir::parseKernel(R"(kernel shift on cpu
  launch 4 tasks, 1 at a time
  in  self i64[64] align 64
  out out0 i64[64] align 64
  for i0 in 4 task
    lanes l0 in 16
      out0[i0*16] x16 = max(self[i0*16] x16 + 9007199254740993, -9223372036854775807)
)"),
                                               tests::avx512())
                                 .source;
  CHECK(has(source, "i64 9007199254740993"));
  CHECK(has(source, "i64 -9223372036854775807"));
}

TEST_CASE("equal kernels print equal programs") {
  const auto source = [] { return codegen::emitLlvm(mapped(DType::F16, Op::Erf), tests::avx512()).source; };
  CHECK(source() == source());
}

TEST_CASE("no operation may be reassociated or lose its NaN") {
  for (const Op op : {Op::Exp, Op::Tanh, Op::Erf, Op::Log, Op::Sin}) {
    const std::string source = codegen::emitLlvm(mapped(DType::F32, op), tests::avx512()).source;
    for (const char* flag : {" fast ", " nnan ", " reassoc ", " ninf ", " nsz ", " arcp ", " contract "})
      CHECK(!has(source, flag));
  }
}

TEST_CASE("every function's program is one LLVM accepts, on every kind of CPU") {
  ir::Target sse = tests::avx2();
  sse.arch = "x86-64";
  sse.features = "";
  sse.vectorBytes = 16;
  for (const ir::Target& target : {tests::avx512(), tests::avx2(), sse})
    for (const DType dtype : {DType::F16, DType::BF16, DType::F8E4M3, DType::F32, DType::F64})
      for (const Op op :
           {Op::Exp, Op::Expm1, Op::Log, Op::Log2, Op::Log1p, Op::Sin, Op::Cos, Op::Tanh, Op::Erf, Op::Rsqrt, Op::Round}) {
        llvm::LLVMContext context;
        llvm::SMDiagnostic diagnostic;
        const auto module = llvm::parseAssemblyString(codegen::emitLlvm(mapped(dtype, op), target).source, diagnostic, context);
        REQUIRE(module != nullptr);
        REQUIRE(!llvm::verifyModule(*module));
      }
}

TEST_CASE("what has no CPU code is refused") {
  ir::Kernel kernel = mapped(DType::F32, Op::Sqrt);
  kernel.backend = ir::Backend::Cuda;
  CHECK_THROWS_WITH_AS(codegen::emitLlvm(kernel, tests::avx512()), "kernel mapped is not made for a CPU", ir::Error);
}

TEST_CASE("unrolled loops are straight-line code at constant offsets; registers are memory of the function") {
  ir::Kernel kernel = mapped(DType::F32, Op::Sqrt, 16);
  ir::ExprPool& pool = *kernel.pool;
  kernel.locals = {{{"held", ir::TensorType::contiguous(DType::F32, {20}), -1, true, true}, ir::Space::Private, 8}};
  const Expr* i = pool.axis(2);
  const Expr* at = pool.make(Op::Mul, {i, pool.integer(DType::I64, 8)});
  const Expr* value = pool.load(0, DType::F32, at, ir::LoadMode::Contiguous);
  kernel.launch.tasks = 1;
  kernel.body = {{ir::For{i, ir::LoopKind::Unrolled, {{ir::Lanes{pool.axis(8), nullptr, {{2, at, value, true}}}}}}}};
  const std::string source = codegen::emitLlvm(kernel, tests::avx512()).source;
  CHECK(has(source, "%held = alloca [24 x float], align 64"));
  CHECK(has(source, "getelementptr inbounds float, ptr %held, i64 8"));
  CHECK(!has(source, "phi"));
}

TEST_CASE("shuffles exchange the rows and columns of a square, whatever its side and its elements") {
  llvm::LLVMContext context;
  llvm::IRBuilder<> builder(context);
  for (const unsigned bits : {8U, 16U, 32U, 64U})
    for (unsigned side = 2; side <= 64; side *= 2) {
      llvm::Type* element = builder.getIntNTy(bits);
      const auto number = [&](unsigned row, unsigned column) {
        return llvm::ConstantInt::get(element, llvm::APInt(64, row * side + column).trunc(bits));
      };
      std::vector<codegen::Vec> rows;
      for (unsigned row = 0; row < side; ++row) {
        std::vector<llvm::Constant*> elements;
        for (unsigned column = 0; column < side; ++column) elements.push_back(number(row, column));
        rows.push_back({&builder, llvm::ConstantVector::get(elements)});
      }
      const std::vector<codegen::Vec> columns = codegen::transposed(rows);
      bool areColumns = columns.size() == side;
      for (unsigned row = 0; row < side; ++row)
        for (unsigned column = 0; column < side; ++column)
          areColumns = areColumns && codegen::lane(columns[column], static_cast<int>(row)).value == number(row, column);
      CHECK_MESSAGE(areColumns, side, " rows of ", bits, " bits");
    }
}

TEST_CASE("a square that is exchanged is read and stored in vectors, and no lane by itself") {
  const std::string source = codegen::emitLlvm(ir::parseKernel(R"(kernel exchange on cpu
  launch 1 tasks, 1 at a time
  in  x f32[64] align 64
  out y f32[64] align 64
  private square f32[64] lanes 8
  for i0 in 1 task
    lanes l0 in 64
      square[0] x64 = x[0] x64
    lanes l1 in 64
      square[0] x64 = square[l1%8*8 + floordiv(l1, 8)]
    lanes l2 in 64
      y[0] x64 = square[0] x64
)"),
                                               tests::avx512())
                                 .source;
  CHECK(has(source, "shufflevector <8 x float>"));
  CHECK(has(source, "store <8 x float>"));
  CHECK(!has(source, "insertelement"));
}

TEST_CASE("global locals share a workspace, each at a multiple of 256 bytes; the epilogue follows as the last task") {
  ir::Kernel kernel = mapped(DType::F32, Op::Sqrt);
  ir::ExprPool& pool = *kernel.pool;
  const auto global = [](const std::string& name, DType dtype, int64_t count) {
    return ir::Local{{name, ir::TensorType::contiguous(dtype, {count}), -1, true, true}, ir::Space::Global, 1};
  };
  kernel.locals = {global("flags", DType::Bool, 3), global("sums", DType::F64, 100)};
  CHECK(!codegen::emitLlvm(kernel, tests::avx512()).hasEpilogue);
  const Expr* zero = pool.integer(DType::I64, 0);
  kernel.body.push_back({ir::Lanes{pool.axis(1), nullptr, {{1, zero, pool.cast(DType::F32, pool.load(3, DType::F64, zero))}}}});
  const ir::KernelSource program = codegen::emitLlvm(kernel, tests::avx512());
  CHECK(program.hasEpilogue);
  CHECK(program.workspaceBytes == 256 + 1024);
  CHECK(has(program.source, "%workspace = load ptr"));
  CHECK(has(program.source, "%sums = getelementptr inbounds i8, ptr %workspace, i64 256"));
  CHECK(has(program.source, "icmp eq i64 %begin, 4"));
}

TEST_CASE("vectors of indices that 32 bits hold take no more, and nor do the offsets of a gather") {
  const auto source = [](const std::string& place) {
    return codegen::emitLlvm(ir::parseKernel("kernel gather on cpu\n"
                                             "  launch 1 tasks, 1 at a time\n"
                                             "  in  k i64[16] align 64\n"
                                             "  in  x f32[64] align 64\n"
                                             "  out y f32[16] align 64\n"
                                             "  for i0 in 1 task\n"
                                             "    lanes l0 in 16\n"
                                             "      y[0] x16 = x[" +
                                             place + "]\n"),
                             tests::avx512())
        .source;
  };
  CHECK(has(source("min(max(k[0] x16, 0), 3)*16"), "mul <16 x i32>"));
  CHECK(has(source("k[0] x16*16"), "mul <16 x i64>"));
}
