#pragma once

#include <cstdint>
#include <functional>

#include "ir/kernel_source.h"
#include "ir/target.h"

namespace runtime {

/// The largest cluster that a GPU starts whatever its CTAs need: a power of two up to the target's, or 1 where there is none.
/// `active` says how many clusters of so many CTAs there are at once, where each CTA takes a multiprocessor for itself.
int largestActiveCluster(const ir::Target& target, const std::function<int64_t(int)>& active);

/// What a GPU runs at once of a loaded kernel.
struct Residency {
  int64_t ctas = 0;       ///< CTAs on all multiprocessors; asked for where CTAs wait for each other (waits)
  int64_t clusters = 0;   ///< clusters of the launch's size; asked for where the hardware starts them (hasHardwareClusters)
  bool isShared = false;  ///< whether other processes' kernels may hold a part of it (MPS)
};

/// Whether CTAs of a program wait for others that the hardware does not start together: at a grid barrier, or in a persistent
/// cluster. It is right only if all that are started are resident.
bool waits(const ir::KernelSource& program);
/// Whether the hardware starts the CTAs of a program's clusters together.
bool hasHardwareClusters(const ir::KernelSource& program);

/// How a program is started.
struct Start {
  int64_t ctas = 0;
  bool isCooperative = false;  ///< all at once or not at all, as the driver sees to it
};

/// How a program is started so that none of its CTAs waits for one that cannot start. Error: Unsupported, where the GPU has no
/// room for that.
Start startOf(const ir::KernelSource& program, const Residency& room);

}  // namespace runtime
