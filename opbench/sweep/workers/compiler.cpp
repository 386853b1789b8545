#include "opbench/sweep/workers/compiler.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "inputs/convert.h"
#include "inputs/operator_name.h"
#include "inputs/region.h"
#include "lowering/tensor/lowering.h"
#include "opbench/check/faults/fault.h"
#include "opbench/check/faults/process_fault_causes.h"
#include "opbench/process/channel.h"
#include "opbench/run/inductor_contender.h"
#include "opbench/run/network.h"
#include "opbench/select/skipped.h"
#include "opbench/sweep/messages.h"
#include "opbench/timeline/timeline.h"
#include "runtime/build/compiler.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cpu/host.h"
#include "runtime/devices/open.h"
#include "runtime/environment.h"
#include "runtime/program/programs.h"
#include "runtime/torch/infer.h"
#include "runtime/workloads/make.h"

namespace opbench {
namespace {

/// A compiler that asks for more is about to take the machine's memory from all others.
[[maybe_unused]] constexpr int64_t mostBytes = int64_t{16} << 30;

/// An address sanitizer's shadow counts as data and exceeds every limit.
void limitMemory() {
#ifndef __SANITIZE_ADDRESS__
  const auto memory = runtime::hostMemory();
  const int64_t most = memory ? std::min(mostBytes, memory->total) : mostBytes;
  const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  ::setrlimit(RLIMIT_DATA, &limit);
#endif
}

class Compiling {
 public:
  Compiling(const Options& options, const ir::Target& target)
      : options_(options),
        target_(target),
        device_(target.backend == ir::Backend::Cuda ? "cuda" : "cpu"),
        config_(options.config, tolerances_),
        cache_(options.cache),
        compiler_(target),
        inductor_(inductorSettingsOfCalls(options, runtime::hostEnvironment().torch), target, cache_),
        inductorOfNetworks_(inductorSettingsOf(options, runtime::hostEnvironment().torch, options.processors), target, cache_) {}

  /// Nothing where there is nothing to compile, or something is wrong: whoever races the sample will say what.
  Compiled operator()(const Job& job) {
    try {
      causeInCompiler(options_.processFaults, job.index);
      const inputs::Sample sample = inputs::convert(job.sample, options_.dtype, options_.channelsLast);
      if (!whySkipped(sample, options_, config_, device_).empty()) return std::nullopt;
      if (inputs::isNetwork(sample.op)) return network(sample);
      const bool hasKernels = inputs::isRegion(sample.op) || (lowering::hasLowering(sample.op) && !runtime::isViewByRule(sample));
      if (!hasKernels && !options_.races(Contender::Inductor)) return std::nullopt;
      const auto graph = inputs::isRegion(sample.op) ? inputs::regionOf(sample) : runtime::inferGraph(sample, target_.backend);
      if (!graph) return Compilation{0, false, "", "its results cannot be inferred without running it"};
      Compiled made = hasKernels ? kernels(*graph) : std::nullopt;
      if (!options_.races(Contender::Inductor)) return made;
      if (!made) made.emplace();
      made->inductor = withInductor(inductor_, [&] { return inductor_.compile(*graph); });
      return made;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

 private:
  /// What Inductor makes of a network. A run on the device gives its graph; Compilers see to it that nothing is timed meanwhile.
  /// The plan of opbench takes a second or two, and is left to who races.
  Compiled network(const inputs::Sample& sample) {
    if (!options_.races(Contender::Inductor)) return std::nullopt;
    if (!opened_) opened_ = runtime::openDevice(device_, 1);
    const ir::Graph graph = graphOfRun(sample);
    opened_->releaseMemory();
    Compilation made;
    made.inductor =
        withInductor(inductorOfNetworks_, [&] { return compileNetwork(inductorOfNetworks_, graph, options_.accuracyChecking); });
    return made;
  }
  /// Error: Unsupported where it has none.
  ir::Graph graphOfRun(const inputs::Sample& sample) const {
    const auto workload = runtime::makeWorkload(sample, *opened_, options_.seed, {options_.data},
                                                runtime::Programs(options_.modelsFolder, options_.programs));
    return captured(*workload).graph;
  }

  Compiled kernels(const ir::Graph& graph) {
    if (!options_.races(Contender::Opbench)) return std::nullopt;
    try {
      codegen::Plan plan = codegen::compile(graph, target_, options_.schedules);
      if (options_.fault) breakPlan(plan, *options_.fault, target_);
      return compile(plan);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  InductorCompilation withInductor(const Inductor& inductor, const std::function<Inductor::Package()>& compile) const {
    const auto onGpu = [&] {
      const bool isOpened = opened_ && opened_->torchName() == Inductor::gpu;
      return static_cast<int>(isOpened) + static_cast<int>(inductor.usesGpu());
    };
    try {
      const Inductor::Package made = compile();
      return {made.ms, made.cached, "", onGpu()};
    } catch (const std::exception& error) {
      return {0, false, error.what(), onGpu()};
    }
  }

  Compiled compile(const codegen::Plan& plan) {
    Compilation made{0, true, kernelsOf(plan), ""};
    if (made.kernels.empty()) return std::nullopt;
    for (const ir::KernelSource& program : plan.programs) {
      const runtime::Compiler::Result result = compiler_.compile(program, cache_);
      made.ms += result.ms;
      made.cached = made.cached && result.cached;
    }
    return made;
  }

  const Options& options_;
  const ir::Target target_;
  const std::string device_;
  Tolerances tolerances_;
  const SuiteConfig config_;
  const runtime::Cache cache_;
  runtime::Compiler compiler_;
  Inductor inductor_;            ///< of calls and regions
  Inductor inductorOfNetworks_;  ///< which takes longer, on more processors
  std::unique_ptr<runtime::Device> opened_;
};

}  // namespace

void precompile(const Options& options) {
  Channel channel;
  limitMemory();
  runtime::setThreads(1);
  const auto target = channel.receive();
  if (!target) return;
  Compiling compile(options, targetOf(*target));
  const Timeline timeline(options.timeline, "compiler");
  while (const auto line = channel.receive()) {
    const Job job = jobOf(*line);
    Compiled compiled;
    {
      const TimedStage stage("compiling");
      compiled = compile(job);
    }
    timeline.add(takeSpans(), fmt::format("{}: {}", job.index, job.sample.op));
    Channel::send(toLine(compiled));
  }
}

}  // namespace opbench
