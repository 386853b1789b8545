#pragma once

#include <memory>

#include "ir/graph.h"
#include "opbench/check/correctness_check.h"
#include "opbench/check/witness.h"
#include "opbench/measure/fastest.h"
#include "opbench/results/row.h"
#include "opbench/run/dump.h"
#include "opbench/run/pipeline.h"
#include "runtime/callable.h"
#include "runtime/device.h"
#include "runtime/workload.h"

namespace opbench {

/// A contender that is ready to race: compiled, captured, and its memory allocated.
struct PreparedContender {
  Outcome* outcome = nullptr;
  runtime::CallablePtr callable;
  std::unique_ptr<runtime::Trial> trial;
  std::unique_ptr<Witness> witness = nullptr;  ///< of the user's code, once its results repeat their bits
};

/// What a network became: its graph and the plan of it, made once for all that run it.
struct NetworkPlan {
  codegen::Plan plan;
  runtime::TensorList constants;
  std::string note;  ///< `2215 calls: 185 kernels, 463 library calls, 20 distinct groups, compiled in 0.9 s`
};

/// The workload, graph, data and row that a sample's contenders share.
struct SampleContext {
  runtime::Workload& workload;
  const CorrectnessCheck& correctness;
  const ir::Graph& graph;
  const Check& check;
  const Dump& dump;
  const Bench& bench;
  Row& row;
  std::unique_ptr<NetworkPlan>& network;  ///< once something asked for it (planOf)
  bool isChecked = true;                  ///< whether results are judged
};

}  // namespace opbench
