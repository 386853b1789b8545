#pragma once

#include <optional>

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// What of a schedule is to be otherwise than by the rules; followed where it is possible.
struct ScanWish {
  std::optional<int64_t> steps{};
  std::optional<int> splits{};
};

/// The schedule of a nest of scans for a GPU, by rules that were measured on sm_90 (docs/schedules.md).
ScanSchedule chooseScanSchedule(const IterationDomain& domain, const ir::Target& target, const ScanWish& wish = {});

}  // namespace lowering
