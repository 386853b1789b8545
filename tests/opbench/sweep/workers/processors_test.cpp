#include "opbench/sweep/workers/processors.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace opbench;

namespace {

std::vector<int> firstProcessors(int count) {
  std::vector<int> processors(static_cast<size_t>(count));
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

}  // namespace

TEST_CASE("workers have a quarter of the processors together, and one each at the least; compilers have the rest") {
  const ProcessorShares shares = divideProcessors(firstProcessors(16), 2);
  CHECK(shares.workers == std::vector<std::vector<int>>{{0, 1}, {2, 3}});
  CHECK(shares.compilers == std::vector<int>{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(divideProcessors(firstProcessors(3), 2).compilers == std::vector<int>{2});
}

TEST_CASE("processors are not divided where workers need all of them") {
  const ProcessorShares shares = divideProcessors(firstProcessors(2), 2);
  CHECK(shares.workers == std::vector<std::vector<int>>(2));
  CHECK(shares.compilers.empty());
}

TEST_CASE("all processors are shared out among compilers, and shared by some where there are too few") {
  CHECK(shareOut(firstProcessors(5), 2) == std::vector<std::vector<int>>{{0, 2, 4}, {1, 3}});
  CHECK(shareOut(firstProcessors(2), 3) == std::vector<std::vector<int>>{{0}, {1}, {0}});
  CHECK(shareOut(firstProcessors(2), 0).empty());
}

TEST_CASE("there is a compiler for each processor that compilers may use, with four samples for each") {
  Options options;
  options.contenders = {Contender::Eager, Contender::Opbench};
  options.device = "cuda";
  options.samples = 100;
  const ProcessorShares shares = divideProcessors(firstProcessors(16), 1);
  CHECK(compilersFor(options, shares, 16) == 12);
  options.samples = 9;
  CHECK(compilersFor(options, shares, 16) == 2);
  options.device = "cpu";
  options.samples = 100;
  CHECK(compilersFor(options, shares, 16) == 16);
  options.compilers = 3;
  CHECK(compilersFor(options, shares, 16) == 3);
  options.contenders = {Contender::Eager};
  CHECK(compilersFor(options, shares, 16) == 0);
}

TEST_CASE("Inductor, which takes seconds for a sample, has a compiler for each one") {
  Options options;
  options.contenders = {Contender::Eager, Contender::Inductor};
  options.device = "cuda";
  options.samples = 9;
  CHECK(compilersFor(options, divideProcessors(firstProcessors(16), 1), 16) == 9);
}
