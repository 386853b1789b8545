#include "codegen/compile_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "codegen/cut_groups.h"
#include "codegen/generate.h"
#include "codegen/list_groups.h"
#include "codegen/plan_memory.h"
#include "codegen/verify_plan.h"
#include "ir/text/text.h"
#include "lowering/graph/functional.h"
#include "lowering/graph/lists.h"
#include "lowering/graph/rewrites.h"
#include "lowering/graph/unused.h"
#include "lowering/partition/partition.h"
#include "lowering/tensor/lowering.h"

namespace codegen {
namespace {

/// The most tensors that a call may take as a list to be generated: each is a branch in what reads its result.
constexpr size_t mostPieces = 16;

bool hasLongList(const ir::Node& node) {
  return std::any_of(node.args.begin(), node.args.end(), [](const ir::NamedArgument& argument) {
    const auto* list = argument.value.as<ir::List>();
    return list != nullptr && list->items.size() > mostPieces &&
           std::all_of(list->items.begin(), list->items.end(), [](const ir::Argument& item) { return item.is<ir::ValueRef>(); });
  });
}

/// The name of a group's kernels, which tells it from other groups, and is the same in each network: `add_gelu_mul_1b2c3d4e`.
std::string symbolOf(const ir::Graph& graph, const std::string& text) {
  std::string symbol =
      fmt::format("{}_{:08x}", fmt::join(callsOf(graph), "_"), static_cast<uint32_t>(std::hash<std::string>()(text)));
  std::replace(symbol.begin(), symbol.end(), ' ', '_');
  return symbol;
}

/// Makes a network's plan group by group.
class NetworkCompiler {
 public:
  NetworkCompiler(const ir::Graph& graph, const ir::Target& target, const NetworkRules& rules)
      : graph_(prepared(graph, target, rules)),
        target_(target),
        rules_(rules),
        flow_(graph_, rules.draws),
        cutter_(graph_, flow_, target),
        lister_(graph_, flow_, target) {
    plan_.graph = graph_;
  }

  Plan compile() {
    const auto isGenerated = [&](const ir::Graph& call, const ir::Node& node) { return mayBeGenerated(call, node); };
    std::vector<lowering::Group> groups;
    for (lowering::Group& group : lowering::partition(graph_, flow_, isGenerated, {.isPhaseACut = true})) {
      if (!group.isGenerated) {
        groups.push_back(std::move(group));
        continue;
      }
      for (lowering::Group& part : cutter_.cut(group)) groups.push_back(std::move(part));
    }
    for (const ListedGroup& one : listed(std::move(groups))) {
      const int first = one.group.nodes.front();
      beginPhase(graph_.nodes[static_cast<size_t>(first)].scope.phase);
      if (one.group.isGenerated) {
        add(one);
      } else {
        plan_.steps.emplace_back(CallStep{first});
      }
    }
    while (plan_.phases.size() < phasesOf(graph_)) plan_.phases.push_back(static_cast<int>(plan_.steps.size()));
    plan_.memory = planMemory(plan_);
    verify(plan_);
    return std::move(plan_);
  }

 private:
  /// The graph as it is partitioned.
  static ir::Graph prepared(const ir::Graph& graph, const ir::Target& target, const NetworkRules& rules) {
    ir::Graph prepared = lowering::withoutUnused(lowering::functional(lowering::withoutLists(graph), rules.draws), rules.draws);
    if (target.backend != ir::Backend::Cuda) return prepared;
    const auto isGenerated = [&](const ir::Node& node) {
      return lowering::hasLowering(node.op) && !rules.draws(node) && rules.mayGenerate(node);
    };
    for (const lowering::Rewrite& rewrite : lowering::rewrites())
      if (!isWithout(rules, rewrite.name)) prepared = rewrite.apply(prepared, isGenerated);
    return prepared;
  }
  static bool isWithout(const NetworkRules& rules, std::string_view name) {
    return std::find(rules.without.begin(), rules.without.end(), name) != rules.without.end();
  }
  static size_t phasesOf(const ir::Graph& graph) {
    size_t phases = 1;
    for (const ir::Node& node : graph.nodes) phases = std::max(phases, static_cast<size_t>(node.scope.phase) + 1);
    return phases;
  }
  void beginPhase(ir::Phase phase) {
    while (plan_.phases.size() <= static_cast<size_t>(phase)) plan_.phases.push_back(static_cast<int>(plan_.steps.size()));
  }

  bool mayBeGenerated(const ir::Graph& call, const ir::Node& node) {
    if (rules_.draws(node) || !rules_.mayGenerate(node) || hasLongList(node)) return false;
    return cutter_.whyRefused(call).empty();
  }

  std::vector<ListedGroup> listed(std::vector<lowering::Group> groups) {
    if (target_.backend == ir::Backend::Cuda && !isWithout(rules_, lowering::tensorLists)) return lister_.list(std::move(groups));
    std::vector<ListedGroup> all;
    for (lowering::Group& group : groups) all.push_back({std::move(group), {}});
    return all;
  }

  void add(const ListedGroup& listed) {
    const int compiled = compiledGroup(listed);
    const Plan& plan = plan_.groups[static_cast<size_t>(compiled)];
    addLaunches(plan_, plan, listed.group.values, firstProgram_[static_cast<size_t>(compiled)], compiled);
    plan_.instances.back().nodes = listed.group.nodes;
  }

  /// The number of a group among the plan's.
  int compiledGroup(const ListedGroup& listed) {
    const ir::Graph& graph = listed.group.graph;
    const std::string text = ir::toText(graph);
    const auto [known, isNew] = groups_.try_emplace(text, static_cast<int>(plan_.groups.size()));
    if (!isNew) return known->second;
    const std::string symbol = symbolOf(graph, text);
    const auto name = [&](std::vector<ir::Loops>& all) {
      for (ir::Loops& loops : all) loops.name = symbol;
    };
    const Given byRules = [](const auto&) { return Schedules(); };
    Plan plan = listed.members.empty() ? generate(graph, target_, byRules, name) : lister_.plan(listed, symbol);
    firstProgram_.push_back(static_cast<int>(plan_.programs.size()));
    plan_.programs.insert(plan_.programs.end(), plan.programs.begin(), plan.programs.end());
    plan_.groups.push_back(std::move(plan));
    return known->second;
  }

  const ir::Graph graph_;
  const ir::Target& target_;
  const NetworkRules& rules_;
  const lowering::DataFlow flow_;
  GroupCutter cutter_;
  GroupLister lister_;
  Plan plan_;
  std::vector<int> firstProgram_;                ///< by group of the plan
  std::unordered_map<std::string, int> groups_;  ///< by text
};

}  // namespace

Plan compileNetwork(const ir::Graph& graph, const ir::Target& target, const NetworkRules& rules) {
  return NetworkCompiler(graph, target, rules).compile();
}

}  // namespace codegen
