// Kernels with local arrays, combinations and epilogues on the GPU against the interpreter. Values are such that every order of
// combining gives the same, unless a test says otherwise.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "ir/text/text.h"
#include "lowering/schedule/apply.h"
#include "lowering/tensor/lowering.h"
#include "tests/cuda_program.h"
#include "tests/gpu/gpu.h"
#include "tests/reduction_kernels.h"

namespace {

using ir::DType;

/// Small integers, of both signs where the dtype has them; Bools are mostly `usual`.
ir::Memory smallIntegers(DType dtype, int64_t elements, int64_t usual = 1) {
  std::mt19937_64 random(5);
  ir::Memory memory = ir::Memory::zeros(dtype, elements);
  const auto drawn = [&]() -> int64_t {
    if (dtype == DType::Bool) return random() % 16 == 0 ? 1 - usual : usual;
    return static_cast<int64_t>(random() % 5) - 2;
  };
  std::visit([&](auto& data) { std::generate(data.begin(), data.end(), drawn); }, memory.data);
  return memory;
}

ir::Memory normal(DType dtype, int64_t elements) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> values(0.5, 2);
  ir::Memory memory = ir::Memory::zeros(dtype, elements);
  for (double& x : std::get<std::vector<double>>(memory.data)) x = ir::round(dtype, values(random));
  return memory;
}

/// What a kernel is given whose first parameter is `input` and whose others are outputs.
std::vector<ir::Memory> storage(const ir::Kernel& kernel, ir::Memory input) {
  std::vector<ir::Memory> memory{std::move(input)};
  for (size_t i = 1; i < kernel.params.size(); ++i) {
    const ir::TensorType& type = kernel.params[i].buffer.type;
    memory.push_back(ir::Memory::zeros(type.dtype, type.storageElements()));
  }
  return memory;
}

/// How many elements differ by more than this part of the expected one.
int64_t different(const ir::Memory& found, const ir::Memory& expected, double tolerance) {
  if (const auto* integers = std::get_if<std::vector<int64_t>>(&expected.data)) {
    const auto& got = std::get<std::vector<int64_t>>(found.data);
    int64_t count = 0;
    for (size_t i = 0; i < integers->size(); ++i) count += got[i] != (*integers)[i];
    return count;
  }
  const auto& want = std::get<std::vector<double>>(expected.data);
  const auto& got = std::get<std::vector<double>>(found.data);
  int64_t count = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    const bool isSame = got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]));
    // Below the smallest normal f16 what counts is absolute.
    count += !isSame && !(std::abs(got[i] - want[i]) <= tolerance * std::max(std::abs(want[i]), 0x1p-14));
  }
  return count;
}

/// Runs a kernel on both and compares its outputs.
void check(const ir::Kernel& kernel, ir::Memory input, double tolerance = 0, int launches = 1) {
  CAPTURE(kernel.name);
  std::vector<ir::Memory> expected = storage(kernel, std::move(input));
  std::vector<ir::Memory> found = expected;
  ir::interpret(kernel, expected);
  tests::runOnGpu(tests::cudaProgram(kernel, tests::gpu().target()), found, launches);
  for (size_t i = 1; i < expected.size(); ++i) {
    CAPTURE(kernel.params[i].buffer.name);
    CHECK(different(found[i], expected[i], tolerance) == 0);
  }
}

int64_t inputElements(const ir::Kernel& kernel) { return kernel.params[0].buffer.type.storageElements(); }

TEST_CASE("every shape of a Combine, for every type and operation") {
  for (const tests::CombineShape& shape : tests::combineShapes()) {
    CAPTURE(shape.threads);
    CAPTURE(shape.ctas);
    CAPTURE(ir::name(shape.dtype));
    CAPTURE(shape.op);
    ir::Memory input = smallIntegers(shape.dtype, shape.elements(), shape.op == "and" ? 1 : 0);
    if (shape.op == "mul") {  // products of signs, and of a 2 here and there
      std::mt19937_64 random(7);
      const auto factor = [&] { return random() % 64 == 0 ? 2 : random() % 2 == 0 ? 1 : -1; };
      std::visit([&](auto& data) { std::generate(data.begin(), data.end(), factor); }, input.data);
    }
    check(tests::combineKernel(shape), std::move(input));
  }
}

TEST_CASE("maxima and minima are NaN where anything is, and find infinities") {
  for (const std::string_view op : {"max", "min"}) {
    for (const DType dtype : {DType::F32, DType::F64}) {
      const tests::CombineShape shape{64, 2, dtype, op};
      ir::Memory input = normal(dtype, shape.elements());
      auto& values = std::get<std::vector<double>>(input.data);
      for (size_t i = 0; i < values.size(); i += 97) values[i] = std::numeric_limits<double>::infinity() * (i % 2 == 0 ? 1 : -1);
      values[values.size() / 3] = NAN;
      check(tests::combineKernel(shape), std::move(input));
    }
  }
}

TEST_CASE("softmax of rows that stay in registers, within the precision of relaxed math") {
  const ir::Kernel kernel = tests::rowSoftmax();
  check(kernel, normal(DType::F16, inputElements(kernel)), 0x1p-9);
}

TEST_CASE("two sums in one exchange") {
  const ir::Kernel kernel = tests::rowMoments();
  check(kernel, smallIntegers(DType::F16, inputElements(kernel)));
  check(kernel, normal(DType::F16, inputElements(kernel)), 1e-5);
}

TEST_CASE("column sums through shared memory and a cluster") {
  const ir::Kernel kernel = tests::columnSum();
  check(kernel, smallIntegers(DType::F16, inputElements(kernel)));
}

TEST_CASE("the last CTA carries out the epilogue, launch after launch") {
  const ir::Kernel kernel = tests::fullSum();
  for (const int launches : {1, 5}) check(kernel, smallIntegers(DType::F32, inputElements(kernel)), 0, launches);
}

TEST_CASE("CTAs that wait for all others, launch after launch") {
  const ir::Kernel kernel = tests::waitingSum();
  for (const int launches : {1, 2, 5}) check(kernel, smallIntegers(DType::F32, inputElements(kernel)), 0, launches);
}

TEST_CASE("scans of every schedule, launch after launch") {
  for (const auto& [type, dim] : std::vector<std::pair<const char*, int>>{{"i64[4, 128]", 1},
                                                                          {"f16[3000, 16]", 1},
                                                                          {"f32[300, 1000]", 1},
                                                                          {"i64[3, 20001]", 1},
                                                                          {"f32[2, 40000]", 1},
                                                                          {"i64[300001]", 0},
                                                                          {"f16[100003]", 0},
                                                                          {"i64[5, 60000]", 1},
                                                                          {"f16[8, 4096]", 0},
                                                                          {"f32[700, 64]", 0},
                                                                          {"i64[9000, 8]", 0},
                                                                          {"f32[3, 1500, 40]", 1}}) {
    CAPTURE(type);
    const ir::Graph graph = ir::parseGraph(fmt::format(
        "graph\n  in self {0}\n  out0 {0} = aten.cumsum.default(self=self, dim={1}, dtype=None)\n  return out0\n", type, dim));
    const ir::Kernel kernel = lowering::apply(lowering::lower(graph).front(), tests::gpu().target());
    const DType dtype = kernel.params[0].buffer.type.dtype;
    check(kernel, smallIntegers(dtype, inputElements(kernel)), 0, 3);
  }
}

TEST_CASE("more shared memory than a kernel has without asking") {
  const ir::Kernel kernel = tests::largeTile();
  check(kernel, smallIntegers(DType::F32, inputElements(kernel)));
}

}  // namespace
