// Random words: the machine code's and the device code's are the interpreter's.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/cuda_program.h"
#include "tests/runtime/cpu_kernel.h"
#include "tests/targets.h"

namespace device {

using u32 = uint32_t;
using u64 = uint64_t;
using i64 = int64_t;
template <typename T, int N>
struct Vec {
  T lane[N];
  T& operator[](int i) { return lane[i]; }
};
#include "codegen/cuda/random.cuh"

}  // namespace device

namespace {

constexpr int64_t vectors = 5;

/// Vectors of words at indices of the vector `i` and its lane `l`.
ir::Kernel kernelOf(const std::string& index, int lanes, const std::string& active = "") {
  const ir::Kernel kernel = ir::parseKernel(fmt::format(R"(kernel draw on cpu
  launch {0} tasks, 1 at a time
  in  random i64[2] align 8
  out words  u32[{0}, {1}] align 4
  for i in {0} task
    lanes l in {1}{2}
      words[i*{1}] x{1} = philox(random[0], random[1], {3})
)",
                                                        vectors, lanes, active, index));
  ir::verify(kernel);
  return kernel;
}

std::vector<ir::Memory> memoryOf(const ir::Kernel& kernel, int64_t seed, int64_t draw) {
  return tests::memoryFor(kernel, {{ir::DType::I64, std::vector<int64_t>{seed, draw}}});
}

constexpr int64_t manyBits = 0x299f31d0'a4093822;

}  // namespace

TEST_CASE("words of lanes one after another, from any one of four on, two apart, backwards and anywhere") {
  runtime::Orc orc;
  for (const int lanes : {2, 4, 8, 16, 32})
    for (const std::string& index :
         {fmt::format("i*{} + l", lanes), fmt::format("i*{} + l + 3", lanes), fmt::format("(i*{} + l)*2 + 1", lanes),
          fmt::format("(i*{} + l)*4 + 3", lanes), fmt::format("i*{} - l + 1000", lanes), std::string("i*7 + l"), std::string("i"),
          std::string("i*1000000000000000000 + l")}) {
      const ir::Kernel kernel = kernelOf(index, lanes);
      std::vector<ir::Memory> found = memoryOf(kernel, -manyBits, manyBits), expected = found;
      ir::interpret(kernel, expected);
      for (const ir::Target& target : {runtime::Orc::host(1), tests::avx2()}) {
        std::vector<ir::Memory> memory = found;
        tests::run(orc, kernel, target, memory);
        CHECK_MESSAGE(memory[1].data == expected[1].data, index, " of ", lanes, " lanes");
      }
    }
}

TEST_CASE("a vector of which some lanes are active has their words") {
  runtime::Orc orc;
  const ir::Kernel kernel = kernelOf("i*8 + l", 8, " active 5");
  std::vector<ir::Memory> found = memoryOf(kernel, 1, 2), expected = found;
  ir::interpret(kernel, expected);
  tests::run(orc, kernel, runtime::Orc::host(1), found);
  CHECK(found[1].data == expected[1].data);
}

TEST_CASE(
    "each four words that lie one after another are computed once: twenty products, two of them in 64 bits beside each other") {
  const auto products = [](const std::string& index) {
    const std::string source = codegen::emitLlvm(kernelOf(index, 16), tests::avx512()).source;
    int count = 0;
    for (size_t at = source.find("= mul <"); at != std::string::npos; at = source.find("= mul <", at + 1)) {
      CHECK(source.substr(at, 14) == "= mul <8 x i64");
      ++count;
    }
    return count;
  };
  CHECK(products("i*16 + l") == 10);  // of 8 lanes: of 16 words
}

TEST_CASE("the device code's words are the interpreter's, one by one and in vectors") {
  for (int64_t first : {int64_t{0}, int64_t{4}, manyBits / 8 * 4}) {
    device::Vec<uint32_t, 16> words = device::randomWords<16>(manyBits, -manyBits, first);
    for (int i = 0; i < 16; ++i) {
      const int64_t expected =
          ir::evaluate(ir::Op::Philox, ir::DType::I64, std::array<int64_t, 3>{manyBits, -manyBits, first + i});
      CHECK(words[i] == expected);
      CHECK(device::randomWord(manyBits, -manyBits, first + i) == expected);
    }
  }
}
