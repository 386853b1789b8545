#pragma once

#include <string>
#include <vector>

#include "codegen/generate.h"
#include "codegen/plan.h"
#include "ir/graph.h"
#include "ir/target.h"

namespace codegen {

/// The plan that calls ATen for every node of a graph, and why.
Plan fallbackPlan(const ir::Graph& graph, const std::string& reason);
/// Why no kernels are generated for all calls of a graph as one; empty where they are. Only the steps that may refuse a graph are
/// taken, those up to the loop nests.
std::string whyFallback(const ir::Graph& graph, const ir::Target& target);

/// The parts that compile() cuts several calls into (GroupCutter): a single one where it does not.
std::vector<Part> partsOf(const ir::Graph& graph, const ir::Target& target);
/// `cut into 2: softmax has reductions over different axes`; of one part its reason, which is empty where it is generated.
std::string summaryOf(const std::vector<Part>& parts);

/// Compiles a graph for a target, from ATen's operators to programs. A call that is refused is ATen's. Several calls are one
/// compilation, or are cut into parts, one after another; they are all ATen's where no part is generated. Nests that `schedules`
/// says nothing of are scheduled by the rules. Error: Input, for more schedules than there are nests.
Plan compile(const ir::Graph& graph, const ir::Target& target, const Schedules& schedules = {}, const LoopsEdit& edit = {});
/// The same with schedules as texts, of the loop nests in their order; empty ones are left to the rules. Error: Input, for a text
/// that is no schedule of its nest.
Plan compile(const ir::Graph& graph, const ir::Target& target, const std::vector<std::string>& schedules);

}  // namespace codegen
