#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/plan.h"
#include "ir/target.h"

namespace codegen {

/// What the compiler cannot see of a network's calls.
struct NetworkRules {
  /// Whether a call draws random numbers. These are ATen's, and come in their order.
  std::function<bool(const ir::Node&)> draws;
  /// Whether a call may be generated, where the compiler can.
  std::function<bool(const ir::Node&)> mayGenerate = [](const ir::Node&) { return true; };
  /// Names of rewrites (lowering/graph/rewrites.h), or lowering::rowProducts or tensorLists, that are left out.
  std::vector<std::string> without = {};
  /// Told the name of each part of the compilation when it is done, for benchmarks.
  std::function<void(std::string_view part)> done = [](std::string_view) {};
};

/// Compiles a captured graph: groups of its calls become launches (lowering/partition), all other calls stay calls, and views
/// become nothing, as a step finds what it reads by the type and the place of the value. Equal groups are compiled once, and
/// groups that are refused or lose to their calls are cut (GroupCutter). On a GPU some share launches (GroupLister).
Plan compileNetwork(const ir::Graph& graph, const ir::Target& target, const NetworkRules& rules);

}  // namespace codegen
