// Random steps, captured, made functional, partitioned and run as plans on the CPU: all must give the numbers that ATen gave, and
// leave the operands as it left them. What differs ends the program with status 1 and is printed with its seed.
//   random_graphs [--seconds N | --runs N] [--seed S] [--turns N]
#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "codegen/compile_network.h"
#include "ir/text/text.h"
#include "lowering/graph/functional.h"
#include "lowering/graph/unused.h"
#include "runtime/capture/recording.h"
#include "runtime/capture/replay.h"
#include "runtime/device.h"
#include "tests/random_graphs/graph_workload.h"
#include "tests/random_graphs/random_step.h"

namespace {

using random_graphs::RandomStep;
using Clock = std::chrono::steady_clock;

struct Options {
  uint64_t seed = 1, turns = 40;
  std::optional<uint64_t> runs, seconds;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i], text = i + 1 < argc ? argv[i + 1] : "";
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw std::invalid_argument(fmt::format("{} takes a number", name));
    if (name == "--seed")
      options.seed = value;
    else if (name == "--turns")
      options.turns = value;
    else if (name == "--runs")
      options.runs = value;
    else if (name == "--seconds")
      options.seconds = value;
    else
      throw std::invalid_argument(fmt::format("there is no option {}", name));
  }
  if (!options.runs && !options.seconds) options.seconds = 60;
  return options;
}

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

int tryGraphs(const Options& options) {
  const auto device = runtime::Device::open("cpu", 1);
  const Clock::time_point start = Clock::now();
  uint64_t run = 0, calls = 0;
  const auto goesOn = [&] {
    return options.runs ? run < *options.runs : Clock::now() - start < std::chrono::seconds(*options.seconds);
  };
  for (; goesOn(); ++run) {
    const uint64_t seed = options.seed + run;
    const auto fail = [&](const RandomStep* step, const std::string& what) {
      if (step != nullptr) fmt::print("{}\n", ir::toText(step->capture.graph));
      fmt::print("random_graphs: --runs 1 --seed {} --turns {}: {}\n", seed, options.turns, what);
      return 1;
    };
    std::optional<RandomStep> step;
    try {
      step = random_graphs::randomStep(seed, static_cast<int64_t>(options.turns));
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
  try {
    return tryGraphs(parse(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "random_graphs: {}\n", error.what());
    return 2;
  }
}
