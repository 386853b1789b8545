#pragma once

#include <algorithm>
#include <cstdint>

#include "ir/target.h"
#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/rows.h"

namespace lowering {

/// Bytes of shared memory that a CTA takes at most where two are to fit on a multiprocessor.
constexpr int64_t sharedBytesOfTwo(const ir::Target& target) { return ofShared(target, limits::rows::sharedBytes); }

/// Divides a row among so many CTAs: its runs, and where these are fewer each run as well.
void divide(RowDraft& draft, int64_t ctas);

/// Lays a CTA's split of a row over at most so many threads that take about `steps` vectors each.
void layOut(RowDraft& draft, int64_t steps, int threads = ir::Target::ctaThreads);

/// As many CTAs on a multiprocessor as it takes to have all of them running, but no more than have the registers they need. The
/// CTAs of a cluster start together, and leave a few places empty.
void chooseResident(RowDraft& draft, int64_t most, const ir::Target& target);

}  // namespace lowering
