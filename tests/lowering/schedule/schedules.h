#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "ir/interpret/interpret.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/schedule/apply.h"
#include "lowering/tensor/lowering.h"
#include "tests/random_expr.h"
#include "tests/targets.h"

namespace tests {

/// Equal to the bit, but for which NaN it is.
inline bool same(const ir::Memory& a, const ir::Memory& b) {
  const auto* x = std::get_if<std::vector<double>>(&a.data);
  if (x == nullptr) return a.data == b.data;
  const auto& y = std::get<std::vector<double>>(b.data);
  return std::equal(x->begin(), x->end(), y.begin(), y.end(), [](double p, double q) {
    return (std::isnan(p) && std::isnan(q)) || std::bit_cast<uint64_t>(p) == std::bit_cast<uint64_t>(q);
  });
}

/// Other devices beside the usual ones: with few processors other schedules fill them, with small caches others fit.
inline std::vector<ir::Target> targets() {
  ir::Target smallGpu = tests::hopper(), manyCores = tests::avx512(), smallCache = tests::avx512();
  smallGpu.processors = 2;
  manyCores.processors = 16;
  smallCache.cacheBytes = 4096;
  return {tests::hopper(), smallGpu, tests::avx512(), manyCores, smallCache};
}

/// Schedules loops for every target, and compares what the kernels leave in memory with what the loops do.
inline void checkSchedules(const ir::Loops& loops, uint64_t seed) {
  INFO(ir::toText(loops));
  REQUIRE_NOTHROW(ir::verify(loops));
  std::vector<ir::Memory> expected = tests::randomMemory(loops, seed);
  ir::interpret(loops, expected);
  for (const ir::Target& target : targets()) {
    const ir::Kernel kernel = lowering::apply(loops, target);
    INFO(ir::toText(kernel));
    REQUIRE_NOTHROW(ir::verify(kernel, target));
    std::vector<ir::Memory> found = tests::randomMemory(loops, seed);
    REQUIRE_NOTHROW(ir::interpret(kernel, found));
    for (size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(loops.buffers[i].name);
      REQUIRE(same(found[i], expected[i]));
    }
  }
}

/// Checks every loops of a graph of these lines.
inline void checkGraph(const std::string& lines) {
  for (const ir::Loops& loops : lowering::lower(ir::parseGraph("graph\n" + lines))) checkSchedules(loops, 1);
}

}  // namespace tests
