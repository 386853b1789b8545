#include "codegen/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/error.h"
#include "lowering/partition/data_flow.h"

namespace codegen {

int Plan::launches() const {
  return static_cast<int>(std::count_if(steps.begin(), steps.end(), [](const Step& step) { return step.index() == 0; }));
}

void addLaunch(Plan& plan, ir::KernelSource program) {
  LaunchStep step{static_cast<int>(plan.programs.size()), {}};
  for (const ir::Param& param : program.params) {
    ir::require(param.buffer.value >= 0, "parameter {} of {} stands for no value", param.buffer.name, program.name);
    step.values.push_back(param.buffer.value);
  }
  plan.programs.push_back(std::move(program));
  plan.steps.emplace_back(std::move(step));
}

void addLaunches(Plan& plan, const Plan& group, const std::vector<int>& values, int firstProgram, int number) {
  Instance instance{number, values, {}};
  for (size_t i = 0; i < group.intermediates.size(); ++i)
    instance.values.push_back(static_cast<int>(plan.graph.values.size() + plan.intermediates.size() + i));
  plan.intermediates.insert(plan.intermediates.end(), group.intermediates.begin(), group.intermediates.end());
  for (const Step& step : group.steps) {
    const auto& launch = std::get<LaunchStep>(step);
    LaunchStep own{firstProgram + launch.program, {}};
    if (number >= 0) own.instance = static_cast<int>(plan.instances.size());
    for (const int value : launch.values) own.values.push_back(instance.values[static_cast<size_t>(value)]);
    plan.steps.emplace_back(std::move(own));
  }
  if (number >= 0) plan.instances.push_back(std::move(instance));
}

std::vector<std::string> callsOf(const ir::Graph& graph) {
  constexpr size_t most = 6;
  const lowering::DataFlow flow(graph);
  std::vector<std::string> calls;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (flow[static_cast<int>(i)].isView) continue;
    const std::string& op = graph.nodes[i].op;
    const size_t name = op.find('.') + 1;
    calls.push_back(op.substr(name, op.find('.', name) - name));
  }
  if (calls.size() <= most) return calls;
  const size_t others = calls.size() - most + 1;
  calls.resize(most - 1);
  calls.push_back(fmt::format("{} more", others));
  return calls;
}

std::string groupName(const Plan& plan, int group) {
  return fmt::format("group {}: {}", group + 1, fmt::join(callsOf(plan.groups.at(static_cast<size_t>(group)).graph), "+"));
}

std::string nameOf(const Plan& plan, const LaunchStep& launch) {
  if (plan.instances.empty()) return plan.programs.at(static_cast<size_t>(launch.program)).name;
  return groupName(plan, plan.instances.at(static_cast<size_t>(launch.instance)).group);
}

}  // namespace codegen
