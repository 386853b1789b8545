#pragma once

#include <cstdint>
#include <functional>

#include "codegen/program.h"
#include "ir/target.h"

namespace runtime {

/// The largest cluster that a GPU starts whatever its CTAs need: a power of two up to the target's, or 1 where there is none.
/// `active` says how many clusters of so many CTAs there are at once, where each CTA takes a multiprocessor for itself.
int largestActiveCluster(const ir::Target& target, const std::function<int64_t(int)>& active);

/// What a GPU runs at once of a loaded kernel.
struct Residency {
  int64_t ctas = 0;      ///< CTAs on all multiprocessors
  int64_t clusters = 0;  ///< clusters of the launch's size, where the hardware has to start them together
};

/// Whether the hardware starts the CTAs of a program's clusters together.
bool hasHardwareClusters(const ir::Launch& launch);

/// The CTAs that a program is started with. Error: Unsupported, where the GPU has no room for CTAs that work together.
int64_t startedCtas(const codegen::Program& program, const Residency& room);

}  // namespace runtime
