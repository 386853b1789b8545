#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/plan.h"
#include "ir/graph.h"
#include "ir/target.h"

namespace codegen {

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

/// A scheduled kernel as a target's compiler is given it.
Program programOf(const ir::Kernel& kernel, const ir::Target& target);

}  // namespace codegen
