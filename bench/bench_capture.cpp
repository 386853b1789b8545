// What a capture costs: a step as users run it, and the same one while its calls are recorded; and what its plan for a GPU costs,
// before NVRTC compiles it:
//   bench_capture [MODEL=resnet18] [repeats=5]
//   bench_capture GRAPH.txt      the plan alone, of a graph as --dump writes it (10-graph.txt)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "codegen/compile_network.h"
#include "inputs/files.h"
#include "inputs/sample.h"
#include "ir/text/text.h"
#include "opbench/cli/options.h"
#include "opbench/networks/description.h"
#include "opbench/networks/model.h"
#include "opbench/select/suite_config.h"
#include "opbench/settings/options.h"
#include "runtime/callable.h"
#include "runtime/capture/recording.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/program/programs.h"
#include "runtime/workload.h"
#include "runtime/workloads/make.h"

namespace {

using Clock = std::chrono::steady_clock;

/// The least milliseconds of several runs of `work`, which gives those of each.
template <typename Work>
double least(int repeats, const Work& work) {
  double milliseconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) milliseconds = std::min(milliseconds, work());
  return milliseconds;
}

double since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

void plan(const ir::Graph& graph) {
  const Clock::time_point start = Clock::now();
  const codegen::Plan plan = codegen::compileNetwork(graph, ir::targetOf("sm_90"), {runtime::drawsNumbers});
  fmt::print("  planned in {:.2f} s: {} distinct groups, {} programs, {} launches\n", since(start) / 1e3, plan.groups.size(),
             plan.programs.size(), plan.launches());
}

/// A step of training with Adam on one thread of the CPU.
void measure(const std::string& model, int repeats) {
  opbench::Environment environment;
  environment.program = std::filesystem::read_symlink("/proc/self/exe");
  const opbench::Options options = opbench::parseOptions({"model", model, "--training", "--no-inference", "--optimizer", "adam",
                                                          "--batch-sizes", "2", "--sequence-lengths", "8", "--device", "cpu"},
                                                         environment);
  const runtime::Programs programs(options.modelsFolder, options.programs);
  const auto device = runtime::openDevice("cpu", 1);
  for (const inputs::Sample& sample :
       opbench::samplesOf(options.model, programs, opbench::SuiteConfig::none(), opbench::describe)) {
    const auto workload = runtime::makeWorkload(sample, *device, 0, {}, programs);
    const runtime::CallablePtr eager = workload->make(runtime::Contender::Eager);
    size_t calls = 0, bytes = 0;
    ir::Graph graph;
    const double run = least(repeats, [&] {
      workload->restore();
      const Clock::time_point start = Clock::now();
      (*eager)();
      return since(start);
    });
    const double recorded = least(repeats, [&] {
      const auto capture = workload->capture(runtime::Audit::No);
      calls = capture->graph.nodes.size();
      bytes = ir::toText(capture->graph).size();
      graph = capture->graph;
      return capture->seconds * 1e3;
    });
    fmt::print("{} {}: {} calls, {} KB of text\n", sample.op, sample.recorded, calls, bytes / 1000);
    fmt::print("  eager {:.2f} ms, recorded {:.2f} ms, {:.2f} times as long, {:.2f} us a call\n", run, recorded, recorded / run,
               (recorded - run) * 1e3 / static_cast<double>(calls));
    plan(graph);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "resnet18";
    if (what.ends_with(".txt"))
      plan(ir::parseGraph(inputs::readFile(what)));
    else
      measure(what, argc > 2 ? std::max(1, std::atoi(argv[2])) : 5);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_capture: {}\n", error.what());
    return 1;
  }
  return 0;
}
