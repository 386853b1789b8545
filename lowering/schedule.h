#pragma once

#include "ir/kernel.h"
#include "ir/loops.h"
#include "ir/target.h"

namespace lowering {

/// Binds loops to the hardware: blocks, threads and vectors, or tasks and vectors.
ir::Kernel schedule(const ir::Loops& loops, const ir::Target& target);

ir::Kernel scheduleCuda(const ir::Loops& loops, const ir::Target& target);
ir::Kernel scheduleCpu(const ir::Loops& loops, const ir::Target& target);

}  // namespace lowering
