#pragma once

#include <string>
#include <vector>

#include "inputs/data/distribution.h"
#include "opbench/check/accuracy.h"
#include "opbench/check/tolerances.h"
#include "runtime/device.h"
#include "runtime/workload.h"

namespace opbench {

/// The results that a contender's are compared with, on the data that the workload has now.
struct Reference {
  runtime::TensorList eager;
  runtime::TensorList float64;       ///< eager's results in float64; empty where ATen has none
  int64_t mostArgumentElements = 0;  ///< of the largest floating argument: the most that a reduction combines
  double largestOutput = 0;          ///< of a network: the largest root mean square of an output
  /// More runs of eager, where they differ (sums by atomics): the largest of their errors is then eager's.
  std::vector<runtime::TensorList> again{};
  /// Runs of a network or a region on operands nearby, which count likewise where the error of one run says little.
  std::vector<runtime::TensorList> nearby{};
};
/// Runs eager, and eager in float64.
Reference makeReference(runtime::Workload& workload);
/// Several runs of eager on the arguments as they were drawn; none where the first already gives the bits of the reference.
std::vector<runtime::TensorList> differingRuns(runtime::Workload& workload, const Reference& reference);
/// Several runs of eager on a network's or a region's operands, off by a rounding: the furthest of them says what its arithmetic
/// allows. The error of one run says little of an output of few elements, as it may be small by chance, of one that it misses by
/// more than a hundredth, of single elements, and, of a region, where few elements make most of it; and nothing without a
/// reference.
std::vector<runtime::TensorList> nearbyRuns(runtime::Workload& workload);

/// Compares every output with the reference of the workload's data and judges it; the first that is wrong decides.
Verdict check(const runtime::TensorList& found, const Reference& reference, runtime::Workload& workload,
              const Criterion& criterion, const Tolerances& tolerances);

/// The trivial-solution check: names a result that takes no work and would pass, as in `zeros would pass for output 1`. Empty
/// where all such results fail.
std::string findTrivialSolution(const Reference& reference, runtime::Workload& workload, const Criterion& criterion,
                                const Tolerances& tolerances);

}  // namespace opbench
