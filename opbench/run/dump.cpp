#include "opbench/run/dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "inputs/files.h"
#include "inputs/print.h"
#include "ir/text/text.h"

namespace opbench {
namespace {

namespace fs = std::filesystem;

/// `20-loops.txt`, or `20-loops-2.txt` for the second of several.
std::string numbered(std::string_view stem, size_t i, size_t count, std::string_view extension) {
  return count == 1 ? fmt::format("{}.{}", stem, extension) : fmt::format("{}-{}.{}", stem, i + 1, extension);
}

std::string_view sourceExtension(ir::Backend backend) {
  switch (backend) {
    case ir::Backend::Cuda: return "cu";
    case ir::Backend::Cpu: return "ll";
  }
  return "";
}

/// The parts of a plan: their calls, and why they are apart.
std::string partsText(const codegen::Plan& plan) {
  std::string text;
  for (const codegen::Part& part : plan.parts) {
    text += part.isGenerated ? "part" : "call of ATen's";
    text += part.reason.empty() ? "\n" : fmt::format(", as {}\n", part.reason);
    for (const int node : part.nodes) text += fmt::format("  {}\n", plan.graph.nodes.at(static_cast<size_t>(node)).op);
  }
  return text;
}

/// The steps of a plan, a line each: what is launched or called, and on which values.
std::string stepsText(const codegen::Plan& plan) {
  const auto nameOf = [&](int value) {
    const size_t number = static_cast<size_t>(value), inside = plan.graph.values.size();
    return number < inside ? plan.graph.values[number].name : fmt::format("between{}", number - inside);
  };
  const auto namesOf = [&](const std::vector<int>& values) {
    std::string names;
    for (const int value : values) names += (names.empty() ? "" : ", ") + nameOf(value);
    return names;
  };
  std::string text;
  for (const codegen::Step& step : plan.steps) {
    if (const auto* launch = std::get_if<codegen::LaunchStep>(&step)) {
      text += fmt::format("launch {} ({})\n", codegen::nameOf(plan, *launch), namesOf(launch->values));
    } else {
      const ir::Node& node = plan.graph.nodes.at(static_cast<size_t>(std::get<codegen::CallStep>(step).node));
      text += fmt::format("call {} -> {}\n", node.op, namesOf(node.outputs));
    }
  }
  return text;
}

/// The distinct groups of a network's plan, a paragraph each: its calls, and the lines of 27-steps.txt that are of it.
std::string groupsText(const codegen::Plan& plan) {
  std::vector<std::vector<size_t>> steps(plan.groups.size());
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (const auto* launch = std::get_if<codegen::LaunchStep>(&plan.steps[i]))
      steps[static_cast<size_t>(plan.instances.at(static_cast<size_t>(launch->instance)).group)].push_back(i + 1);
  std::string text;
  for (size_t i = 0; i < plan.groups.size(); ++i) {
    const auto isOfGroup = [&](const codegen::Instance& instance) { return instance.group == static_cast<int>(i); };
    text += fmt::format("{}\n  {} times, {} kernels, steps {}\n", codegen::groupName(plan, static_cast<int>(i)),
                        std::count_if(plan.instances.begin(), plan.instances.end(), isOfGroup), plan.groups[i].programs.size(),
                        fmt::join(steps[i], ", "));
  }
  return text;
}

}  // namespace

Dump::Dump(const std::string& root, int index, const std::string& op) {
  if (root.empty()) return;
  folder_ = (fs::path(root) / fmt::format("{}-{}", index, op)).string();
  inputs::makeFolder(folder_);
}

void Dump::sample(const inputs::Sample& recorded, const inputs::Sample& converted) const {
  const std::string about = fmt::format("{}:{}, run as {}", recorded.where.file, recorded.where.line, inputs::toText(converted));
  write("00-sample.txt", fmt::format("{}\n{}", inputs::commentText(about), inputs::toText(std::vector{recorded})));
}

void Dump::graph(const ir::Graph& graph) const {
  if (isOn()) write("10-graph.txt", ir::toText(graph));
}

void Dump::noGraph(std::string_view why) const {
  if (isOn()) write("10-graph.txt", fmt::format("// {}\n", why));
}

void Dump::plan(const codegen::Plan& plan) const {
  if (!isOn()) return;
  if (!plan.phases.empty()) write("12-groups.txt", groupsText(plan));
  if (!plan.parts.empty()) write("12-parts.txt", partsText(plan));
  if (!plan.phases.empty() || !plan.parts.empty()) write("27-steps.txt", stepsText(plan));
  for (size_t i = 0; i < plan.groups.size(); ++i) {
    const Dump group(folder_, static_cast<int>(i) + 1, "group");
    group.graph(plan.groups[i].graph);
    group.plan(plan.groups[i]);
  }
  if (!plan.phases.empty()) return;
  for (size_t i = 0; i < plan.nests.size(); ++i)
    write(numbered("20-loops", i, plan.nests.size(), "txt"), ir::toText(plan.nests[i].loops));
  std::string schedules;
  for (const auto& schedule : plan.schedules) schedules += (schedule ? toText(*schedule) : "") + "\n";
  if (!plan.schedules.empty()) write("25-schedule.txt", schedules);
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    write(numbered("30-kernel", i, plan.kernels.size(), "txt"), ir::toText(plan.kernels[i]));
  for (size_t i = 0; i < plan.programs.size(); ++i)
    write(numbered("40-kernel", i, plan.programs.size(), sourceExtension(plan.programs[i].backend)), plan.programs[i].source);
}

void Dump::assembly(const codegen::Plan& plan, runtime::Device& device) const {
  if (!isOn()) return;
  for (size_t i = 0; i < plan.groups.size(); ++i)
    Dump(folder_, static_cast<int>(i) + 1, "group").assembly(plan.groups[i], device);
  if (!plan.phases.empty()) return;
  for (size_t i = 0; i < plan.programs.size(); ++i) {
    const auto [extension, text] = device.assembly(plan.programs[i]);
    write(numbered("50-kernel", i, plan.programs.size(), extension), text);
  }
}

void Dump::wrongGroup(std::string_view region) const { write("wrong-group.txt", region); }

void Dump::race(std::string_view jsonLines) const { write("60-race.jsonl", jsonLines); }

void Dump::write(const std::string& name, std::string_view text) const {
  if (!isOn()) return;
  inputs::writeFile(fs::path(folder_) / name, text, inputs::Durable::No);
}

}  // namespace opbench
