#pragma once

#include <string>
#include <vector>

#include "inputs/data/distribution.h"
#include "opbench/check/accuracy.h"
#include "opbench/check/tolerances.h"
#include "runtime/device.h"
#include "runtime/torch/call.h"

namespace opbench {

/// What results on the data at hand are compared with.
struct Truth {
  runtime::TensorList eager;
  runtime::TensorList float64;       ///< eager's in float64; empty where ATen has none
  int64_t mostArgumentElements = 0;  ///< what reductions combine
  /// More runs of eager, where they differ (sums by atomics): the largest of their errors is then eager's.
  std::vector<runtime::TensorList> again{};
};
Truth truthOf(runtime::Call& call);
/// Several runs of eager on the arguments as they were drawn; none where the first already gives the bits of the truth.
std::vector<runtime::TensorList> differingRuns(runtime::Call& call, const Truth& truth);

/// Compares every output with the truth of the call's data and judges it; the first that is wrong decides.
Verdict check(const runtime::TensorList& found, const Truth& truth, runtime::Call& call, const Criterion& criterion,
              const Tolerances& tolerances);

/// Why the check says nothing: `zeros would pass for output 1`. Nothing where it fails all that takes no work.
std::string vacuity(const Truth& truth, runtime::Call& call, const Criterion& criterion, const Tolerances& tolerances);

}  // namespace opbench
