#include "opbench/run/dump.h"

#include <fmt/format.h>

#include <filesystem>

#include "inputs/files.h"
#include "inputs/text/print.h"
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
  for (size_t i = 0; i < plan.programs.size(); ++i) {
    const auto [extension, text] = device.assembly(plan.programs[i]);
    write(numbered("50-kernel", i, plan.programs.size(), extension), text);
  }
}

void Dump::race(std::string_view jsonLines) const { write("60-race.jsonl", jsonLines); }

void Dump::write(const std::string& name, std::string_view text) const {
  if (!isOn()) return;
  inputs::writeFile(fs::path(folder_) / name, text, inputs::Durable::No);
}

}  // namespace opbench
