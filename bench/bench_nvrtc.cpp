// How long NVRTC takes for kernels of recorded samples, cold, and for what:
//   bench_nvrtc [kernels of a family] [FOLDER of samples]...
// The same kernels are drawn every time. Each is compiled as a whole and in parts by turns, so that all find the machine alike.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "codegen/compile.h"
#include "codegen/cuda/prelude.h"
#include "inputs/convert.h"
#include "lowering/tensor/lowering.h"
#include "opbench/results/statistics.h"
#include "opbench/run/family.h"
#include "runtime/build/nvrtc.h"
#include "runtime/torch/infer.h"
#include "tests/targets.h"

namespace {

using ir::KernelSource;
using opbench::median;

constexpr int rounds = 3;  // the median of so many compilations counts, after one that warms up
constexpr const char* families[] = {"copy", "pointwise", "reduction", "normalization"};

/// The programs of a sample; none where it is not generated.
std::vector<KernelSource> programsOf(const inputs::Sample& sample, std::string& family) {
  if (!lowering::hasLowering(sample.op)) return {};
  const auto graph = runtime::inferGraph(inputs::convert(sample, ir::DType::F16, false), ir::Backend::Cuda);
  if (!graph) return {};
  codegen::Plan plan = codegen::compile(*graph, tests::hopper());
  family = opbench::familyOf(plan);
  return plan.programs;
}

/// So many programs of each family, of samples that are drawn at random.
std::map<std::string, std::vector<KernelSource>> draw(std::vector<inputs::Sample> samples, size_t count) {
  std::shuffle(samples.begin(), samples.end(), std::mt19937_64(1));
  std::map<std::string, std::vector<KernelSource>> drawn;
  const auto isFull = [&](const std::string& family) { return drawn[family].size() >= count; };
  for (const inputs::Sample& sample : samples) {
    if (std::all_of(std::begin(families), std::end(families), isFull)) break;
    std::string family;
    std::vector<KernelSource> programs = programsOf(sample, family);
    for (KernelSource& program : programs)
      if (!isFull(family)) drawn[family].push_back(std::move(program));
  }
  return drawn;
}

double millisecondsOf(clockid_t clock, const std::function<void()>& run) {
  const auto now = [&] {
    timespec time{};
    clock_gettime(clock, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  run();
  return now() - start;
}
/// Of the processors' time of all threads, which others on the machine hardly change.
double workOf(const std::function<void()>& run) { return millisecondsOf(CLOCK_PROCESS_CPUTIME_ID, run); }

/// A program that does nothing, behind the beginning of another one or behind nothing.
KernelSource emptyAfter(const KernelSource& program, bool keepsPrelude) {
  KernelSource empty = program;
  empty.source =
      keepsPrelude ? program.source.substr(0, program.source.size() - codegen::withoutPrelude(program.source).size()) : "";
  empty.source += "\nextern \"C\" __global__ void " + program.name + "() {}\n";
  return empty;
}

/// The same for the virtual architecture: NVRTC stops at PTX.
KernelSource toPtx(KernelSource program) {
  program.arch.replace(0, 2, "compute");
  return program;
}

/// Milliseconds of a program and of its parts.
enum Part { Whole, Nothing, Prelude, Front, Wall, parts };

std::array<double, parts> timesOf(const runtime::Nvrtc& nvrtc, const KernelSource& program) {
  const KernelSource nothing = toPtx(emptyAfter(program, false)), prelude = toPtx(emptyAfter(program, true)),
                     front = toPtx(program);
  std::array<std::vector<double>, parts> times;
  for (int round = 0; round <= rounds; ++round) {
    const auto compile = [&] { nvrtc.compile(program, runtime::Cache()); };
    const std::array<double, parts> now{workOf(compile), workOf([&] { nvrtc.ptx(nothing); }), workOf([&] { nvrtc.ptx(prelude); }),
                                        workOf([&] { nvrtc.ptx(front); }), millisecondsOf(CLOCK_MONOTONIC, compile)};
    for (size_t part = 0; part < parts && round > 0; ++part) times[part].push_back(now[part]);
  }
  std::array<double, parts> medians{};
  std::transform(times.begin(), times.end(), medians.begin(), [](const std::vector<double>& all) { return median(all); });
  return medians;
}

void report(const runtime::Nvrtc& nvrtc, const std::string& family, const std::vector<KernelSource>& programs) {
  std::vector<double> whole, wall, nothing, prelude, front, back, bytes;
  for (const KernelSource& program : programs) {
    const std::array<double, parts> ms = timesOf(nvrtc, program);
    whole.push_back(ms[Whole]);
    wall.push_back(ms[Wall]);
    nothing.push_back(ms[Nothing]);
    prelude.push_back(ms[Prelude] - ms[Nothing]);
    front.push_back(ms[Front] - ms[Prelude]);
    back.push_back(ms[Whole] - ms[Front]);
    bytes.push_back(static_cast<double>(program.source.size()));
  }
  fmt::print("{:<14} {:>7} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.0f}\n", family, programs.size(),
             median(wall), median(whole), *std::max_element(whole.begin(), whole.end()), median(nothing), median(prelude),
             median(front), median(back), median(bytes));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20;
  std::vector<std::string> paths(argv + std::min(argc, 2), argv + argc);
  if (paths.empty()) paths = {"inputs/recorded"};
  const runtime::Nvrtc nvrtc;
  const auto drawn = draw(inputs::readSamples(paths).samples, count);
  fmt::print("NVRTC {}, sm_90, float16: medians of cold compilations in ms of processor time, each of {}\n", nvrtc.version(),
             rounds);
  fmt::print("{:<14} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "family", "kernels", "elapsed", "whole", "slowest",
             "nothing", "prelude", "kernel", "ptxas", "bytes");
  for (const char* family : families)
    if (const auto found = drawn.find(family); found != drawn.end() && !found->second.empty())
      report(nvrtc, family, found->second);
}
