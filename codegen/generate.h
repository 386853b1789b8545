#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/plan.h"
#include "ir/graph.h"
#include "ir/target.h"

namespace codegen {

/// Changes what a graph was lowered to, before anything else is done with it.
using LoopsEdit = std::function<void(std::vector<ir::Loops>&)>;
/// Says which schedules of loop nests are given.
using Given = std::function<Schedules(const std::vector<lowering::LoopNest>&)>;

/// The loop nests that are scheduled. Error: Unsupported, which no later step throws for what is lowered.
lowering::LoopNests nestsOf(const ir::Graph& graph, const ir::Target& target, const LoopsEdit& edit = {});

/// The compiler's main line, which generates kernels for all calls of a graph. Nests that `given` says nothing of are scheduled
/// by the rules. Error: Unsupported.
Plan generate(const ir::Graph& graph, const ir::Target& target, const Given& given, const LoopsEdit& edit = {});

/// Takes a step of it, unless a call has no lowering; why that is not to be done, or empty.
std::string whyNot(const ir::Graph& graph, const std::function<void()>& step);

/// A scheduled kernel as a target's compiler is given it.
ir::KernelSource programOf(const ir::Kernel& kernel, const ir::Target& target);

}  // namespace codegen
