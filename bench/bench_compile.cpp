// How long the CPU compiler takes, cold and from the cache, and how fast its mathematical functions run:
//   bench_compile [repeats]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "codegen/llvm/emit.h"
#include "ir/value.h"
#include "lowering/schedule/apply.h"
#include "runtime/build/orc.h"

namespace {

using ir::DType;
using ir::Op;
using ir::Value;

struct Formula {
  std::string name;
  std::function<Value(Value, Value)> of;
};

Value gelu(Value x) { return x * 0.5 * (erf(x * 0.7071067811865476) + 1.0); }
Value geluBackward(Value g, Value x) {
  const Value density = exp(x * x * -0.5) * 0.3989422804014327;
  return g * ((erf(x * 0.7071067811865476) + 1.0) * 0.5 + x * density);
}

const std::vector<Formula> formulas{
    {"add", [](Value a, Value b) { return a + b; }},
    {"lerp", [](Value a, Value b) { return a + (b - a) * 0.25; }},
    {"relu", [](Value a, Value) { return max(a, 0.0); }},
    {"threshold_backward", [](Value a, Value b) { return where(b <= 0.0, 0.0, a); }},
    {"sigmoid", [](Value a, Value) { return 1.0 / (exp(-a) + 1.0); }},
    {"silu", [](Value a, Value) { return a / (exp(-a) + 1.0); }},
    {"tanh", [](Value a, Value) { return tanh(a); }},
    {"gelu", [](Value a, Value) { return gelu(a); }},
    {"gelu_backward", geluBackward},
    {"hardswish", [](Value a, Value) { return a * min(max(a + 3.0, 0.0), 6.0) / 6.0; }},
};

/// out = formula(a, b), element by element; b is a row that is repeated where `broadcast`.
ir::Loops loopsOf(const Formula& formula, DType dtype, const ir::Shape& sizes, bool broadcast) {
  ir::Loops loops;
  loops.name = formula.name;
  loops.pool = std::make_shared<ir::ExprPool>();
  ir::ExprPool& pool = *loops.pool;
  const ir::TensorType dense = ir::TensorType::contiguous(dtype, sizes);
  ir::TensorType other = dense;
  if (broadcast) other.strides.front() = 0;
  loops.buffers = {{"a", dense, -1, true, false}, {"b", other, -1, true, false}, {"out", dense, -1, false, true}};
  for (const int64_t size : sizes) loops.axes.push_back(pool.axis(size));
  const auto offset = [&](const ir::TensorType& type) {
    const ir::Expr* sum = pool.integer(DType::I64, 0);
    for (size_t i = 0; i < sizes.size(); ++i)
      sum = pool.make(Op::Add, {sum, pool.make(Op::Mul, {loops.axes[i], pool.integer(DType::I64, type.strides[i])})});
    return sum;
  };
  const auto load = [&](int buffer, const ir::TensorType& type) {
    return Value(pool, pool.cast(ir::opmath(dtype), pool.load(buffer, dtype, offset(type))));
  };
  loops.stores = {{2, offset(dense), pool.cast(dtype, formula.of(load(0, dense), load(1, other)).expr())}};
  return loops;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
}

double secondsOf(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void benchCompile(runtime::Orc& orc, const ir::Target& target, int repeats) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / fmt::format("opbench_bench_{}", getpid());
  std::vector<double> emit, cold, cached;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::filesystem::remove_all(folder);
    const runtime::Cache cache({folder / "cache", folder / "cache.key"});
    for (const Formula& formula : formulas)
      for (const DType dtype : {DType::F32, DType::F16, DType::BF16})
        for (const bool broadcast : {false, true})
          for (const int64_t columns : {1024, 1001}) {
            const ir::Kernel kernel = lowering::apply(loopsOf(formula, dtype, {1000, columns}, broadcast), target);
            ir::KernelSource program;
            emit.push_back(1e3 * secondsOf([&] { program = codegen::emitLlvm(kernel, target); }));
            cold.push_back(orc.compile(program, cache).compileMs);
            cached.push_back(orc.compile(program, cache).compileMs);
          }
  }
  std::filesystem::remove_all(folder);
  fmt::print("{} kernels{:>21} {:>8} {:>8}\n", cold.size(), "median", "p90", "max");
  for (const auto& [name, times] :
       {std::pair{"print the program", emit}, {"compile, cold", cold}, {"load from the cache", cached}})
    fmt::print("{:<22} {:>8.2f} {:>8.2f} {:>8.2f} ms\n", name, quantile(times, 0.5), quantile(times, 0.9), quantile(times, 1));
}

void benchFunctions(runtime::Orc& orc, const ir::Target& target) {
  const std::vector<Formula> functions{
      {"copy", [](Value a, Value) { return a + 0.0; }},   {"div", [](Value a, Value b) { return a / b; }},
      {"sqrt", [](Value a, Value) { return sqrt(a); }},   {"rsqrt", [](Value a, Value) { return rsqrt(a); }},
      {"exp", [](Value a, Value) { return exp(a); }},     {"expm1", [](Value a, Value) { return expm1(a); }},
      {"log", [](Value a, Value) { return log(a); }},     {"log2", [](Value a, Value) { return log2(a); }},
      {"log1p", [](Value a, Value) { return log1p(a); }}, {"sin", [](Value a, Value) { return sin(a); }},
      {"cos", [](Value a, Value) { return cos(a); }},     {"tanh", [](Value a, Value) { return tanh(a); }},
      {"erf", [](Value a, Value) { return erf(a); }},     {"pow", [](Value a, Value b) { return pow(a, b); }},
      {"rem", [](Value a, Value b) { return rem(a, b); }}};
  constexpr int64_t count = 16384;
  fmt::print("\nns per element, cached data, one thread\n{:<8} {:>8} {:>8} {:>8} {:>8}\n", "", "f32", "f64", "f16", "bf16");
  for (const Formula& function : functions) {
    fmt::print("{:<8}", function.name);
    for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
      const ir::Kernel kernel = lowering::apply(loopsOf(function, dtype, {count}, false), target);
      const runtime::HostCode code = orc.compile(codegen::emitLlvm(kernel, target), runtime::Cache());
      void* buffers[3];
      for (void*& buffer : buffers) buffer = std::aligned_alloc(64, count * 8);
      for (void* buffer : buffers)
        for (int64_t i = 0; i < count; ++i) {
          const float x = 0.5F + static_cast<float>(i % 1000) / 500;
          if (dtype == DType::F32) static_cast<float*>(buffer)[i] = x;
          if (dtype == DType::F64) static_cast<double*>(buffer)[i] = x;
          if (dtype == DType::F16) static_cast<uint16_t*>(buffer)[i] = static_cast<uint16_t>(0x3800 + i % 1024);  // [0.5, 1)
          if (dtype == DType::BF16) static_cast<uint16_t*>(buffer)[i] = static_cast<uint16_t>(0x3f00 + i % 128);
        }
      std::vector<double> times;
      for (int i = 0; i < 200; ++i) times.push_back(secondsOf([&] { code.function(buffers, 0, kernel.launch.tasks); }));
      fmt::print(" {:>8.3f}", 1e9 * quantile(times, 0.25) / count);
      for (void* buffer : buffers) std::free(buffer);
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  runtime::Orc orc;
  const ir::Target target = runtime::Orc::host(1);
  fmt::print("{}, {}-byte vectors, llvm {}\n", target.arch, target.vectorBytes, runtime::Orc::version());
  benchCompile(orc, target, argc > 1 ? std::atoi(argv[1]) : 1);
  benchFunctions(orc, target);
}
