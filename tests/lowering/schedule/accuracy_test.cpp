// What sums and variances lose to rounding: digits that other orders of the same operations would lose.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "lowering/schedule/apply.h"
#include "lowering/tensor/lowering.h"
#include "tests/targets.h"

namespace {

/// What the kernel of a call's only loop nest leaves in its buffers, of which the first has these f32 numbers.
std::vector<std::vector<double>> resultsOf(const std::string& lines, const std::vector<double>& numbers,
                                           const ir::Target& target) {
  const ir::Loops loops = lowering::lower(ir::parseGraph("graph\n" + lines), target.backend).front();
  std::vector<ir::Memory> memory;
  for (const ir::Buffer& buffer : loops.buffers)
    memory.push_back(ir::Memory::zeros(ir::DType::F32, buffer.type.storageElements()));
  memory.front().data = numbers;
  ir::interpret(lowering::apply(loops, target), memory);
  std::vector<std::vector<double>> results;
  for (const ir::Memory& one : memory) results.push_back(std::get<std::vector<double>>(one.data));
  return results;
}

/// Numbers around 1 with this offset, of which those at some places are something else.
std::vector<double> numbersWith(double offset, const std::vector<std::size_t>& places = {}, double other = 0) {
  std::vector<double> numbers(4096);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = offset + static_cast<double>(i * 7 % 64) / 32;
  for (const std::size_t place : places) numbers[place] = other;
  return numbers;
}

/// The relative error of what batch norm finds as one by the deviation of a channel.
double errorOfDeviation(const std::vector<double>& numbers, const ir::Target& target) {
  const auto count = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  const auto square = [&](double sum, double x) { return sum + (x - mean) * (x - mean); };
  const double scale = 1 / std::sqrt(std::accumulate(numbers.begin(), numbers.end(), 0.0, square) / count);
  const auto results = resultsOf(R"(  in input f32[128, 1, 32]
  out0 f32[128, 1, 32], out1 f32[1], out2 f32[1] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=None, running_var=None, training=True, momentum=0.1, eps=0.0)
  return out0, out1, out2
)",
                                 numbers, target);
  return std::abs(results[3].front() / scale - 1);
}

constexpr double few = 1e-6;

}  // namespace

TEST_CASE("a channel's deviation keeps its digits where the numbers are far from zero") {
  for (const ir::Target& target : {tests::hopper(), tests::avx512()}) {
    CHECK(errorOfDeviation(numbersWith(0), target) < few);
    CHECK(errorOfDeviation(numbersWith(4096), target) < few);
    CHECK(errorOfDeviation(numbersWith(-65000), target) < few);
  }
}

TEST_CASE("a channel's deviation keeps its digits where one number is far from the others") {
  for (const ir::Target& target : {tests::hopper(), tests::avx512()})
    for (const std::size_t place : {0, 1, 2, 1024, 1040, 2048, 2064, 3072, 3096, 4095}) {
      CAPTURE(place);
      CHECK(errorOfDeviation(numbersWith(0, {place}, 65504), target) < few);
      CHECK(errorOfDeviation(numbersWith(4096, {place}, -65504), target) < few);
    }
}

TEST_CASE("on a CPU it does so too where padding is at the ends") {
  CHECK(errorOfDeviation(numbersWith(0, {0, 1, 2, 3, 4092, 4093, 4094, 4095}, 65504), tests::avx512()) < few);
}

TEST_CASE("a long row is summed on a CPU in blocks, as a sum of a million numbers would round small ones away") {
  const std::vector<double> numbers(std::size_t{1} << 20, 0.1F);
  const double expected = static_cast<double>(0.1F) * static_cast<double>(numbers.size());
  for (const std::string sizes : {"1048576", "2, 524288", "1048576, 1"}) {
    CAPTURE(sizes);
    const auto results = resultsOf(fmt::format(R"(  in self f32[{}]
  out0 f32[] = aten.sum.default(self=self, dtype=None)
  return out0
)",
                                               sizes),
                                   numbers, tests::avx512());
    CHECK(std::abs(results[1].front() / expected - 1) < few);
  }
}
