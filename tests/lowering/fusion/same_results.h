#pragma once

#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tests/kernels_of.h"
#include "tests/lowering/schedule/schedules.h"
#include "tests/lowering/values.h"

namespace tests {

/// Small integers for what loops read, so that every order of their sums has the same result, to the bit.
inline Values integersFor(const std::vector<ir::Loops>& all) {
  Values values;
  for (const ir::Loops& loops : all) {
    for (const ir::Buffer& buffer : loops.buffers) {
      if (buffer.isWritten || values.contains(buffer.value)) continue;
      ir::Memory memory = ir::Memory::zeros(buffer.type.dtype, buffer.type.storageElements());
      auto& elements = std::get<std::vector<double>>(memory.data);
      for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>((i * 7 + i / 5) % 5) - 2;
      values.emplace(buffer.value, std::move(memory));
    }
  }
  return values;
}

/// Requires that nests, and the kernels of their schedules, compute from these inputs the values that are expected, to the bit.
inline void requireSame(const std::vector<lowering::LoopNest>& nests, const ir::Target& target, const Values& inputs,
                        const Values& expected) {
  Values byLoops = inputs, byKernels = inputs;
  for (const lowering::LoopNest& nest : nests) {
    INFO(ir::toText(nest.loops));
    REQUIRE_NOTHROW(ir::verify(nest.loops));
    run(nest.loops, byLoops);
  }
  for (const ir::Kernel& kernel : kernelsOf(lowering::analyzeJointly(nests, target), target)) {
    INFO(ir::toText(kernel));
    REQUIRE_NOTHROW(ir::verify(kernel, target));
    run(kernel, byKernels);
  }
  for (const auto& [value, elements] : expected) {
    REQUIRE(same(byLoops.at(value), elements));
    REQUIRE(same(byKernels.at(value), elements));
  }
}

}  // namespace tests
