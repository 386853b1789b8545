#pragma once

#include "ir/kernel.h"
#include "ir/loops.h"
#include "ir/target.h"
#include "lowering/domain.h"
#include "lowering/nest.h"

namespace lowering {

/// Binds loops to the hardware: blocks, threads and vectors, or tasks and vectors.
ir::Kernel schedule(const ir::Loops& loops, const ir::Target& target);

ir::Kernel scheduleCuda(const ir::Loops& loops, const ir::Target& target);
/// A nest whose memory runs along its elements: threads side by side work on one row.
ir::Kernel scheduleRows(const ir::Loops& loops, const Nest& nest, const Domain& domain, const ir::Target& target);
/// A nest whose memory runs along its rows' numbers: threads side by side work on different rows, called columns.
ir::Kernel scheduleColumns(const ir::Loops& loops, const Nest& nest, const Domain& domain, const ir::Target& target);

ir::Kernel scheduleCpu(const ir::Loops& loops, const ir::Target& target);
ir::Kernel scheduleCpuRows(const ir::Loops& loops, const Nest& nest, const Domain& domain, const ir::Target& target);
ir::Kernel scheduleCpuColumns(const ir::Loops& loops, const Nest& nest, const Domain& domain, const ir::Target& target);

}  // namespace lowering
