#include "codegen/compile_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "codegen/cut_groups.h"
#include "codegen/generate.h"
#include "codegen/list_groups.h"
#include "codegen/plan_memory.h"
#include "codegen/verify_plan.h"
#include "ir/parallel.h"
#include "ir/text/text.h"
#include "lowering/graph/functional.h"
#include "lowering/graph/lists.h"
#include "lowering/graph/product.h"
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
    const auto isGenerated = [&](const ir::Graph& call, const ir::Node& node) {
      return mayCompile(call, node) && cutter_.whyRefused(call).empty();
    };
    rules_.done("rewrites");
    judgeCalls();
    rules_.done("calls alone");
    std::vector<lowering::Group> groups = lowering::partition(graph_, flow_, isGenerated, {.isPhaseACut = true});
    rules_.done("partition");
    groups = cutter_.cut(std::move(groups));
    rules_.done("cuts");
    const std::vector<ListedGroup> all = listed(std::move(groups));
    rules_.done("lists");
    compileGroups(all);
    rules_.done("kernels");
    for (size_t i = 0; i < all.size(); ++i) {
      const ListedGroup& one = all[i];
      const int first = one.group.nodes.front();
      beginPhase(graph_.nodes[static_cast<size_t>(first)].scope.phase);
      if (one.group.isGenerated) {
        add(one.group, groupOf_[i]);
      } else {
        plan_.steps.emplace_back(CallStep{first});
      }
    }
    while (plan_.phases.size() < phasesOf(graph_)) plan_.phases.push_back(static_cast<int>(plan_.steps.size()));
    plan_.memory = planMemory(plan_);
    verify(plan_);
    rules_.done("memory");
    return std::move(plan_);
  }

 private:
  /// The graph as it is partitioned.
  static ir::Graph prepared(const ir::Graph& graph, const ir::Target& target, const NetworkRules& rules) {
    ir::Graph prepared = lowering::withoutUnused(lowering::functional(lowering::withoutLists(graph), rules.draws), rules.draws);
    if (target.backend != ir::Backend::Cuda) return prepared;
    const auto isGenerated = [&](const ir::Node& node) {
      return lowering::hasLowering(node.op) && !lowering::isContraction(node) && !rules.draws(node) && rules.mayGenerate(node);
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

  /// Finds out about calls many at a time, before the partition asks about one after another.
  void judgeCalls() {
    std::vector<ir::Graph> calls;
    std::unordered_set<std::string> known;
    lowering::partition(graph_, flow_, [&](const ir::Graph& call, const ir::Node& node) {
      if (mayCompile(call, node) && known.insert(ir::toText(call)).second) calls.push_back(call);
      return false;
    });
    ir::inParallel(calls.size(), [&](size_t i) { cutter_.whyRefused(calls[i]); });
  }

  /// Whether the compiler is to try a call.
  bool mayCompile(const ir::Graph& call, const ir::Node& node) const {
    if (isWithout(rules_, lowering::rowProducts) && lowering::isContraction(node)) return false;
    return !rules_.draws(node) && rules_.mayGenerate(node) && !hasLongList(node);
  }

  std::vector<ListedGroup> listed(std::vector<lowering::Group> groups) {
    if (target_.backend == ir::Backend::Cuda && !isWithout(rules_, lowering::tensorLists)) return lister_.list(std::move(groups));
    std::vector<ListedGroup> all;
    for (lowering::Group& group : groups) all.push_back({std::move(group), {}});
    return all;
  }

  void add(const lowering::Group& group, int compiled) {
    const Plan& plan = plan_.groups[static_cast<size_t>(compiled)];
    addLaunches(plan_, plan, group.values, firstProgram_[static_cast<size_t>(compiled)], compiled);
    plan_.instances.back().nodes = group.nodes;
  }

  /// Compiles equal groups once, and many at a time.
  void compileGroups(const std::vector<ListedGroup>& listed) {
    std::unordered_map<std::string, int> known;  // by text
    std::vector<const ListedGroup*> distinct;
    std::vector<std::string> symbols;
    for (const ListedGroup& one : listed) {
      groupOf_.push_back(-1);
      if (!one.group.isGenerated) continue;
      const std::string text = ir::toText(one.group.graph);
      const auto [found, isNew] = known.try_emplace(text, static_cast<int>(distinct.size()));
      groupOf_.back() = found->second;
      if (!isNew) continue;
      distinct.push_back(&one);
      symbols.push_back(symbolOf(one.group.graph, text));
    }
    plan_.groups.resize(distinct.size());
    ir::inParallel(distinct.size(), [&](size_t i) {
      if (distinct[i]->members.empty()) plan_.groups[i] = planOf(distinct[i]->group.graph, symbols[i]);
    });
    // Lists are made of loops that they may share, which are written as they are scheduled.
    for (size_t i = 0; i < distinct.size(); ++i)
      if (!distinct[i]->members.empty()) plan_.groups[i] = lister_.plan(*distinct[i], symbols[i]);
    for (const Plan& plan : plan_.groups) {
      firstProgram_.push_back(static_cast<int>(plan_.programs.size()));
      plan_.programs.insert(plan_.programs.end(), plan.programs.begin(), plan.programs.end());
    }
  }

  Plan planOf(const ir::Graph& graph, const std::string& symbol) const {
    const auto name = [&](std::vector<ir::Loops>& all) {
      for (ir::Loops& loops : all) loops.name = symbol;
    };
    const Given byRules = [](const auto&) { return Schedules(); };
    return generate(graph, target_, byRules, name);
  }

  const ir::Graph graph_;
  const ir::Target& target_;
  const NetworkRules& rules_;
  const lowering::DataFlow flow_;
  GroupCutter cutter_;
  GroupLister lister_;
  Plan plan_;
  std::vector<int> groupOf_;       ///< of the plan, by listed group; -1 for calls
  std::vector<int> firstProgram_;  ///< by group of the plan
};

}  // namespace

Plan compileNetwork(const ir::Graph& graph, const ir::Target& target, const NetworkRules& rules) {
  return NetworkCompiler(graph, target, rules).compile();
}

}  // namespace codegen
