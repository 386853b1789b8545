#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codegen/program.h"
#include "ir/graph.h"
#include "ir/target.h"
#include "lowering/heuristics/schedule.h"

namespace codegen {

/// Starts a program on the values of the graph that its parameters stand for.
struct LaunchStep {
  Program program;
  std::vector<int> values;  ///< by parameter
};
/// Calls ATen for a node that has no lowering.
struct FallbackStep {
  int node = 0;
};
using Step = std::variant<LaunchStep, FallbackStep>;

/// Schedules of a graph's loop nests, in their order.
using Schedules = std::vector<std::optional<lowering::Schedule>>;

/// How a graph is carried out; outputs are allocated from the graph's types before the first step.
struct Plan {
  ir::Graph graph;
  std::vector<ir::GraphValue> intermediates;  ///< values that steps store for later ones, numbered on from the graph's
  std::vector<Step> steps;
  std::string fallbackReason;  ///< why ATen is called, where it is

  /// The stages it went through, for dumps and tests.
  std::vector<lowering::LoopNest> nests;
  Schedules schedules;  ///< of the nests
  std::vector<ir::Kernel> kernels;
};

/// The plan that calls ATen for every node of a graph, and why.
Plan fallbackPlan(const ir::Graph& graph, const std::string& reason);
/// Why compile() would make the plan that calls ATen; empty where it generates kernels. Only the steps that may refuse a graph
/// are taken, those up to the loop nests.
std::string whyFallback(const ir::Graph& graph, const ir::Target& target);

/// Changes what a graph was lowered to, before anything else is done with it.
using LoopsEdit = std::function<void(std::vector<ir::Loops>&)>;

/// Compiles a graph for a target, from ATen's operators to programs; a graph with a node that cannot be lowered becomes calls of
/// ATen. Nests that `schedules` says nothing of are scheduled by the rules.
Plan compile(const ir::Graph& graph, const ir::Target& target, const Schedules& schedules = {}, const LoopsEdit& edit = {});
/// The same with schedules as texts, of the loop nests in their order; empty ones are left to the rules. Error: Input, for a text
/// that is no schedule of its nest.
Plan compile(const ir::Graph& graph, const ir::Target& target, const std::vector<std::string>& schedules);

/// The step that starts a scheduled kernel, its program printed for a target.
LaunchStep launchStep(const ir::Kernel& kernel, const ir::Target& target);

}  // namespace codegen
