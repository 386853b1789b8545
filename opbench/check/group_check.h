#pragma once

#include <optional>
#include <string>

#include "codegen/plan.h"
#include "ir/graph.h"
#include "opbench/check/tolerances.h"
#include "runtime/device.h"
#include "runtime/workload.h"

namespace opbench {

/// A group of a network's plan whose kernels are wrong.
struct WrongGroup {
  int group = 0;        ///< of the plan's
  int64_t times = 1;    ///< that the plan has it
  std::string message;  ///< `group 7: add+gelu, time 2 of 12: output 0 is wrong at ..`
};

/// Runs a network's plan group by group on the data that the workload has: each group on what eager's calls give it, and its
/// outputs are judged as a region's are, by the criterion of its calls and with their float64 results. Eager's then take their
/// place. The first group that is wrong; nothing where all are right. `constants` are the graph's inputs after the operands.
std::optional<WrongGroup> findWrongGroup(runtime::Workload& workload, const codegen::Plan& plan,
                                         const runtime::TensorList& constants, runtime::Device& device,
                                         const runtime::Cache& cache, const Tolerances& tolerances);

/// The graph of a group as a region, which is raced alone: its inputs lie in memory of their own.
ir::Graph regionOf(const codegen::Plan& group);

}  // namespace opbench
