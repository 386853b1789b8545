#include "ir/parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

TEST_CASE("work in parallel is done once for each number, also inside of other such work") {
  constexpr std::size_t outer = 40, inner = 30;
  std::vector<std::atomic<int>> times(outer * inner);
  ir::inParallel(outer, [&](std::size_t i) { ir::inParallel(inner, [&, i](std::size_t j) { ++times[i * inner + j]; }); });
  CHECK(std::all_of(times.begin(), times.end(), [](const std::atomic<int>& one) { return one == 1; }));
  ir::inParallel(0, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("what a thread throws reaches whoever began the work, again and again") {
  for (int round = 0; round < 100; ++round)
    CHECK_THROWS_AS(ir::inParallel(8, [](std::size_t) { throw std::runtime_error("no"); }), std::runtime_error);
}
