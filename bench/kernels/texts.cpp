#include "bench/kernels/texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <optional>
#include <variant>

#include "bench/kernels/mask.h"
#include "codegen/compile.h"
#include "codegen/cuda/prelude.h"
#include "inputs/convert.h"
#include "inputs/operator_name.h"
#include "inputs/region.h"
#include "ir/text/text.h"
#include "lowering/layout/check.h"
#include "lowering/tensor/lowering.h"
#include "opbench/results/brief.h"
#include "runtime/build/hash.h"
#include "runtime/torch/infer.h"
#include "tests/targets.h"

namespace kernels {
namespace {

Key keyOf(const Job& job, int number) {
  constexpr size_t digits = 16;  // enough for a hundred million samples
  const std::string sample = runtime::digest(job.sample->op + " " + inputs::toText(*job.sample)).substr(0, digits);
  return {job.target->name, std::string(ir::torchName(job.dtype)), job.sample->op, sample, number};
}

std::string headingOf(const Job& job) {
  const inputs::Source& where = job.sample->where;
  return fmt::format("==== {} {} ({} {}/{}:{})\n{}\n\n", keyOf(job, 0).sample, ir::torchName(job.dtype), job.sample->op,
                     job.sample->suite, std::filesystem::path(where.file).filename().string(), where.line,
                     opbench::brief(*job.sample));
}

Texts without(const Job& job, const std::string& kind, const std::string& reason) {
  Texts made;
  made.hashes[keyOf(job, 0)] = {runtime::digest(kind + ": " + reason), runtime::digest(kind), kind};
  made.text = fmt::format("{}{}: {}\n\n", headingOf(job), kind, reason);
  return made;
}

/// The values of the graph that a launch is given with what their addresses are multiples of, and the types of intermediates.
std::string argumentsOf(const codegen::LaunchStep& step, const codegen::Plan& plan) {
  std::string text;
  for (size_t i = 0; i < step.values.size(); ++i) {
    const auto value = static_cast<size_t>(step.values[i]), first = plan.graph.values.size();
    text += fmt::format(" {}@{}", value, plan.programs.at(step.program).params[i].alignment);
    if (value >= first) text += fmt::format("({})", ir::toText(plan.intermediates.at(value - first).type));
  }
  return text;
}

/// All of a launch but the program's text; without names.
std::string factsOf(const codegen::LaunchStep& step, const ir::Kernel& kernel, const codegen::Plan& plan) {
  const ir::KernelSource& program = plan.programs.at(step.program);
  const ir::Launch& launch = program.launch;
  return fmt::format(
      "grid {} cluster {} persistent {} block {} resident {} tasks {} grain {}\n"
      "workspace {} shared {} waits {} epilogue {} relaxed {}\n"
      "values{}\n"
      "{} {} {}\n",
      launch.grid, launch.cluster, launch.isPersistent, launch.block, launch.resident, launch.tasks, launch.grain,
      program.workspaceBytes, program.dynamicSharedBytes, program.waitsForGrid, program.hasEpilogue,
      kernel.math == ir::Math::Relaxed, argumentsOf(step, plan), program.arch, program.features, fmt::join(program.options, " "));
}

/// The program's text without the prelude.
std::string_view ownText(const ir::KernelSource& program) {
  return program.backend == ir::Backend::Cuda ? codegen::withoutPrelude(program.source) : program.source;
}

std::string maskedText(const ir::KernelSource& program) {
  switch (program.backend) {
    case ir::Backend::Cuda: return maskedCuda(ownText(program), program.name);
    case ir::Backend::Cpu: return maskedLlvm(ownText(program));
  }
  return "";
}

Texts kernelsOf(const Job& job, const codegen::Plan& plan) {
  Texts made;
  made.text = headingOf(job);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (std::holds_alternative<codegen::CallStep>(plan.steps[i])) continue;  // of a region
    const auto& step = std::get<codegen::LaunchStep>(plan.steps[i]);
    const std::string facts = factsOf(step, plan.kernels.at(static_cast<size_t>(step.program)), plan);
    const ir::KernelSource& program = plan.programs.at(step.program);
    const std::string_view text = ownText(program);
    made.hashes[keyOf(job, static_cast<int>(i))] = {runtime::digest(fmt::format("{}{}", facts, text)),
                                                    runtime::digest(facts + maskedText(program)), "kernel"};
    made.text += fmt::format("---- kernel {}\n{}{}\n", i, facts, text);
  }
  return made;
}

std::optional<ir::Graph> inferred(const Job& job) {
  if (inputs::isRegion(job.sample->op)) return inputs::regionOf(*job.sample);
  return runtime::inferGraph(inputs::convert(*job.sample, job.dtype, false), job.target->target.backend);
}

/// The graph of the job before, where this one has the same.
const std::optional<ir::Graph>& graphOf(const Job& job) {
  static Job before;
  static std::optional<ir::Graph> graph;
  const bool isSame =
      before.sample == job.sample && before.dtype == job.dtype && before.target->target.backend == job.target->target.backend;
  if (!isSame) graph = inferred(job);
  before = job;
  return graph;
}

/// Error: where the rules choose what may not be typed in, or what has another meaning as a text.
void checkSchedules(const codegen::Plan& plan, const ir::Target& target) {
  std::vector<lowering::Schedule> schedules;
  for (std::size_t i = 0; i < plan.schedules.size(); ++i) {
    schedules.push_back(*plan.schedules[i]);
    const std::string text = toText(schedules[i]);
    ir::require(lowering::parseSchedule(text, plan.nests[i]) == schedules[i], "the text of a schedule has another meaning: {}",
                text);
  }
  if (plan.parts.empty()) lowering::check(schedules, lowering::analyzeJointly(plan.nests, target), target);
}

}  // namespace

const std::vector<NamedTarget>& targets() {
  static const std::vector<NamedTarget> all{{"sm_90", tests::hopper()}, {"avx512", tests::avx512()}, {"avx2", tests::avx2()}};
  return all;
}

const std::vector<ir::DType>& dtypes() {
  static const std::vector<ir::DType> all{ir::DType::F16, ir::DType::F32};
  return all;
}

Texts textsOf(const Job& job) {
  try {
    const bool isRegion = inputs::isRegion(job.sample->op);
    if (!isRegion && !lowering::hasLowering(job.sample->op)) return without(job, "no-lowering", "ATen is called");
    if (!isRegion && runtime::isViewByRule(*job.sample)) return without(job, "view", "nothing is computed");
    const std::optional<ir::Graph>& graph = graphOf(job);
    if (!graph) return without(job, "uninferred", "ATen does not infer the results without a device");
    const codegen::Plan plan = codegen::compile(*graph, job.target->target);
    checkSchedules(plan, job.target->target);
    if (!plan.fallbackReason.empty()) return without(job, "unsupported", plan.fallbackReason);
    if (plan.steps.empty()) return without(job, "nothing", "all results are empty");
    return kernelsOf(job, plan);
  } catch (const std::exception& error) {
    return without(job, "failed", error.what());
  }
}

Texts crashed(const Job& job, const std::string& how) { return without(job, "crashed", how); }

Texts prelude() {
  Texts made;
  made.text = codegen::cudaPrelude();
  made.hashes[{targets().front().name, "-", "prelude", "-", 0}] = {runtime::digest(made.text),
                                                                   runtime::digest(withoutComments(made.text)), "prelude"};
  return made;
}

}  // namespace kernels
