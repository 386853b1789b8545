// How long the parts of compiling a network for a GPU take, cold, and none of them needs one:
//   bench_network GRAPH.txt [processors=16] [plan]      a graph as --dump writes it (10-graph.txt); `plan` stops before NVRTC
// A part that takes as much wall time as time of processors is on one of them. How long NVRTC takes on more processors than are
// here is worked out from the time of each program, as if they did not disturb each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <queue>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "codegen/compile_network.h"
#include "inputs/files.h"
#include "ir/parallel.h"
#include "ir/text/text.h"
#include "runtime/build/compiler.h"
#include "runtime/build/nvrtc.h"
#include "runtime/capture/recording.h"
#include "tests/targets.h"

namespace {

using ir::KernelSource;

constexpr size_t slowest = 8;  // programs that are named

double secondsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Prints the wall time and the time of all processors since the part before.
class Parts {
 public:
  void done(std::string_view part) {
    const double wall = secondsOf(CLOCK_MONOTONIC), work = secondsOf(CLOCK_PROCESS_CPUTIME_ID);
    fmt::print("{:<12} {:>8.2f} {:>8.2f}\n", part, wall - wall_, work - work_);
    wall_ = wall;
    work_ = work;
  }

 private:
  double wall_ = secondsOf(CLOCK_MONOTONIC), work_ = secondsOf(CLOCK_PROCESS_CPUTIME_ID);
};

/// How long tasks take that are begun in this order on so many processors.
double takenOn(int processors, const std::vector<double>& tasks, const std::vector<size_t>& order) {
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;
  for (int i = 0; i < processors; ++i) ends.push(0);
  double last = 0;
  for (const size_t task : order) {
    const double end = ends.top() + tasks[task];
    ends.pop();
    ends.push(end);
    last = std::max(last, end);
  }
  return last;
}

/// How many programs there are but for their names, and but for these and all numbers.
std::pair<size_t, size_t> kindsOf(const std::vector<KernelSource>& programs) {
  static const std::regex number("[0-9]+");
  std::set<std::string> unnamed, unnumbered;
  for (const KernelSource& program : programs) {
    std::string text = program.source;
    for (size_t at = 0; (at = text.find(program.name, at)) != std::string::npos;) text.replace(at, program.name.size(), "f");
    unnamed.insert(text);
    unnumbered.insert(std::regex_replace(text, number, "0"));
  }
  return {unnamed.size(), unnumbered.size()};
}

/// Compiles programs by NVRTC; the seconds of processors of each.
std::vector<double> compiled(const std::vector<KernelSource>& programs, const std::vector<size_t>& order) {
  const runtime::Nvrtc nvrtc;
  std::vector<double> seconds(programs.size());
  ir::inParallel(programs.size(), [&](size_t i) {
    const double start = secondsOf(CLOCK_THREAD_CPUTIME_ID);
    nvrtc.compile(programs[order[i]], runtime::Cache());
    seconds[order[i]] = secondsOf(CLOCK_THREAD_CPUTIME_ID) - start;
  });
  return seconds;
}

void report(const std::vector<KernelSource>& programs, const std::vector<double>& seconds, const std::vector<size_t>& order,
            int processors) {
  std::vector<size_t> asTheyCome(programs.size());
  std::iota(asTheyCome.begin(), asTheyCome.end(), size_t{0});
  std::vector<size_t> sorted = asTheyCome;
  std::sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) { return seconds[a] > seconds[b]; });
  fmt::print("NVRTC on {} processors: {:.2f} s in the plan's order, {:.2f} s longest text first, {:.2f} s slowest first\n",
             processors, takenOn(processors, seconds, asTheyCome), takenOn(processors, seconds, order),
             takenOn(processors, seconds, sorted));
  const auto [unnamed, unnumbered] = kindsOf(programs);
  fmt::print("{} programs, {} but for names, {} but for names and numbers\n", programs.size(), unnamed, unnumbered);
  for (size_t i = 0; i < std::min(slowest, sorted.size()); ++i)
    fmt::print("{:>8.2f} s {:>6} bytes  {}\n", seconds[sorted[i]], programs[sorted[i]].source.size(), programs[sorted[i]].name);
}

/// A number that is the same for equal plans.
size_t hashOf(const codegen::Plan& plan) {
  std::string text = ir::toText(plan.graph);
  for (const KernelSource& program : plan.programs) text += program.source;
  for (const codegen::Instance& one : plan.instances) text += fmt::format("{} {} {}\n", one.group, one.values, one.nodes);
  return std::hash<std::string>()(text);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_network GRAPH.txt [processors=16] [plan]\n");
    return 1;
  }
  const ir::Graph graph = ir::parseGraph(inputs::readFile(argv[1]));
  fmt::print("{} calls, on {} processors: seconds of wall time, and of processors\n", graph.nodes.size(),
             std::thread::hardware_concurrency());
  Parts parts, whole;
  const codegen::Plan plan = codegen::compileNetwork(
      graph, tests::hopper(), {.draws = runtime::drawsNumbers, .done = [&](std::string_view part) { parts.done(part); }});
  whole.done("plan");
  fmt::print("{} distinct groups, {} launches, plan {:016x}\n", plan.groups.size(), plan.launches(), hashOf(plan));
  if (argc > 3) return 0;
  Parts nvrtc;
  const std::vector<size_t> order = runtime::longestFirst(plan.programs);
  const std::vector<double> seconds = compiled(plan.programs, order);
  nvrtc.done("NVRTC");
  report(plan.programs, seconds, order, argc > 2 ? std::atoi(argv[2]) : 16);
}
