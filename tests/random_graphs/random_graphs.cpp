// Random steps, captured, made functional, partitioned and run as plans on the CPU: all must give the numbers that ATen gave, and
// leave the operands as it left them. What differs ends the program with status 1 and is printed with its seed.
//   random_graphs [--seconds N | --runs N] [--seed S] [--turns N]
#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>

#include "codegen/compile_network.h"
#include "ir/text/text.h"
#include "lowering/graph/functional.h"
#include "lowering/graph/unused.h"
#include "runtime/capture/recording.h"
#include "runtime/capture/replay.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/state.h"
#include "tests/random/seeded_runs.h"
#include "tests/random_graphs/graph_workload.h"
#include "tests/random_graphs/random_step.h"

namespace {

using random_graphs::RandomStep;

void restore(RandomStep& step) {
  const c10::InferenceMode normal(false);
  for (size_t i = 0; i < step.operands.size(); ++i) step.operands[i].copy_(step.before[i]);
}

/// Whether tensors are equal number by number; zeros have no sign here.
bool areEqual(const runtime::TensorList& a, const runtime::TensorList& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i)
    if (!at::equal(a.state().tensors[i], b.state().tensors[i])) return false;
  return true;
}

/// Whether a run gave what the step gave, and left the operands as it did.
bool isEqual(const RandomStep& step, const runtime::TensorList& outputs) {
  return areEqual(outputs, step.capture.outputs) && areEqual(runtime::makeTensorList(step.operands), step.after);
}

/// What differs from the step; empty where nothing does.
std::string difference(RandomStep& step, runtime::Device& device) {
  const runtime::TensorList operands = runtime::makeTensorList(step.operands);
  runtime::Capture changed = step.capture;
  changed.graph = lowering::withoutUnused(lowering::functional(step.capture.graph, runtime::drawsNumbers), runtime::drawsNumbers);
  restore(step);
  if (!isEqual(step, runtime::replay(changed, operands).outputs)) return "the functional graph\n" + ir::toText(changed.graph);
  random_graphs::GraphWorkload workload(operands);
  for (const bool generates : {false, true}) {
    const codegen::Plan plan = codegen::compileNetwork(step.capture.graph, device.target(),
                                                       {runtime::drawsNumbers, [&](const ir::Node&) { return generates; }});
    const runtime::CallablePtr planned =
        runtime::networkCallable(workload, plan, step.capture.constants, device, runtime::Cache());
    restore(step);
    if (!isEqual(step, (*planned)())) return generates ? "the plan" : "the plan of calls alone";
  }
  return "";
}

int tryGraphs(tests::SeededRuns& runs, int64_t turns) {
  const auto device = runtime::openDevice("cpu", 1);
  uint64_t run = 0, calls = 0;
  for (; runs.goOn(run); ++run) {
    const uint64_t seed = runs.seed(run);
    const auto fail = [&](const RandomStep* step, const std::string& what) {
      if (step != nullptr) fmt::print("{}\n", ir::toText(step->capture.graph));
      fmt::print("random_graphs: --runs 1 --seed {} --turns {}: {}\n", seed, turns, what);
      return 1;
    };
    std::optional<RandomStep> step;
    try {
      step = random_graphs::randomStep(seed, turns);
      calls += step->capture.graph.nodes.size();
      if (const std::string what = difference(*step, *device); !what.empty()) return fail(&*step, what + " differs");
    } catch (const std::exception& error) {
      return fail(step ? &*step : nullptr, error.what());
    }
  }
  fmt::print("random_graphs: {} graphs, {} calls; nothing found\n", run, calls);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Random steps, captured, made functional, partitioned and run as plans on the CPU, beside ATen.");
  tests::SeededRuns runs(app);
  int64_t turns = 40;
  app.add_option("--turns", turns)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return tryGraphs(runs, turns);
}
