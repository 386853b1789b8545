#pragma once

#include "ir/target.h"
#include "runtime/build/nvrtc.h"

namespace runtime {

/// The largest cluster that the current device starts of CTAs that take a multiprocessor each: fewer CTAs than the target's
/// architecture allows where a part of a GPU has fewer multiprocessors side by side, as under MIG.
int largestActiveCluster(const ir::Target& target, const Nvrtc& nvrtc);

}  // namespace runtime
