#include "codegen/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "codegen/cut_groups.h"
#include "ir/error.h"
#include "lowering/layout/schedule.h"

namespace codegen {
namespace {

template <typename T>
void append(std::vector<T>& all, std::vector<T> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

Plan compileCall(const ir::Graph& graph, const ir::Target& target, const Given& given, const LoopsEdit& edit) {
  Plan plan;
  const std::string why = whyNot(graph, [&] { plan = generate(graph, target, given, edit); });
  return why.empty() ? plan : fallbackPlan(graph, why);
}

Plan compileCalls(const ir::Graph& graph, const ir::Target& target, const Given& given, const LoopsEdit& edit) {
  const lowering::DataFlow flow(graph);
  const std::vector<lowering::Group> groups = GroupCutter(graph, flow, target).cutAll();
  const auto isGenerated = [](const lowering::Group& group) { return group.isGenerated; };
  if (std::none_of(groups.begin(), groups.end(), isGenerated)) return fallbackPlan(graph, groups.front().reason);
  if (groups.size() == 1) return generate(groups.front().graph, target, given, edit);
  Plan plan;
  plan.graph = graph;
  for (const lowering::Group& group : groups) {
    plan.parts.push_back({group.nodes, group.isGenerated, group.reason});
    if (!group.isGenerated) {
      plan.steps.emplace_back(CallStep{group.nodes.front()});
      continue;
    }
    Plan part = generate(group.graph, target, given, edit);
    addLaunches(plan, part, group.values, static_cast<int>(plan.programs.size()));
    append(plan.programs, std::move(part.programs));
    append(plan.nests, std::move(part.nests));
    append(plan.schedules, std::move(part.schedules));
    append(plan.kernels, std::move(part.kernels));
  }
  return plan;
}

/// Compiles with schedules given in the order of the graph's loop nests, the first part's first. `scheduleOf` makes the
/// schedule of a nest from what is given for it.
template <typename T, typename F>
Plan compileWith(const ir::Graph& graph, const ir::Target& target, const std::vector<T>& schedules, const F& scheduleOf,
                 const LoopsEdit& edit = {}) {
  size_t nests = 0;
  const Given given = [&](const std::vector<lowering::LoopNest>& ofPart) {
    Schedules found(ofPart.size());
    for (size_t i = 0; i < ofPart.size() && nests + i < schedules.size(); ++i)
      found[i] = scheduleOf(schedules[nests + i], ofPart[i]);
    nests += ofPart.size();
    return found;
  };
  Plan plan = graph.nodes.size() == 1 ? compileCall(graph, target, given, edit) : compileCalls(graph, target, given, edit);
  if (plan.fallbackReason.empty() && schedules.size() > nests)
    ir::fail(ir::ErrorKind::Input, "schedule: there are {} for {} loop nests", schedules.size(), nests);
  return plan;
}

}  // namespace

Plan fallbackPlan(const ir::Graph& graph, const std::string& reason) {
  Plan plan;
  plan.graph = graph;
  plan.fallbackReason = reason;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) plan.steps.emplace_back(CallStep{static_cast<int>(i)});
  return plan;
}

std::string whyFallback(const ir::Graph& graph, const ir::Target& target) {
  return whyNot(graph, [&] { nestsOf(graph, target); });
}

std::vector<Part> partsOf(const ir::Graph& graph, const ir::Target& target) {
  const lowering::DataFlow flow(graph);
  std::vector<Part> parts;
  for (const lowering::Group& group : GroupCutter(graph, flow, target).cutAll())
    parts.push_back({group.nodes, group.isGenerated, group.reason});
  return parts;
}

std::string summaryOf(const std::vector<Part>& parts) {
  std::vector<std::string> reasons;
  int calls = 0;
  for (const Part& part : parts) {
    calls += part.isGenerated ? 0 : 1;
    const bool isNew = std::find(reasons.begin(), reasons.end(), part.reason) == reasons.end();
    if (!part.reason.empty() && isNew) reasons.push_back(part.reason);
  }
  if (parts.size() < 2) return fmt::format("{}", fmt::join(reasons, "; "));
  const std::string called = calls == 0 ? "" : fmt::format(", {} of ATen's", calls);
  return fmt::format("cut into {}{}: {}", parts.size(), called, fmt::join(reasons, "; "));
}

Plan compile(const ir::Graph& graph, const ir::Target& target, const Schedules& schedules, const LoopsEdit& edit) {
  return compileWith(graph, target, schedules, [](const auto& schedule, const auto&) { return schedule; }, edit);
}

Plan compile(const ir::Graph& graph, const ir::Target& target, const std::vector<std::string>& schedules) {
  return compileWith(graph, target, schedules, [](const std::string& text, const lowering::LoopNest& nest) {
    return text.empty() ? std::nullopt : std::optional(lowering::parseSchedule(text, nest));
  });
}

}  // namespace codegen
