#include "tests/hostile/child.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "inputs/operator_name.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/workloads/call.h"
#include "tests/hostile/filter.h"

namespace hostile {
namespace {

constexpr int secondsOfCall = 5;     ///< of the processor
constexpr int secondsOfChild = 120;  ///< of the clock
constexpr rlim_t bytesOfCalls = rlim_t{2} << 30;

Report* reported = nullptr;

void onTrap(int systemCall) {
  reported->systemCall = systemCall;
  _exit(breachStatus);
}

/// What no call may change of the process.
struct ProcessState {
  int threads = at::get_num_threads();
  bool hasGradients = c10::GradMode::is_enabled();
  bool isInference = c10::InferenceMode::is_enabled();
  bool isDeterministic = at::globalContext().deterministicAlgorithms();
  at::ScalarType dtype = at::get_default_dtype_as_scalartype();
  bool operator==(const ProcessState&) const = default;
};

[[noreturn]] void breach(const std::string& what) {
  std::strncpy(reported->breach, what.c_str(), sizeof reported->breach - 1);
  _exit(breachStatus);
}

/// Bytes that this process has mapped.
rlim_t mappedBytes() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// No core file, and an end to memory before other processes feel it.
void limit() {
  const rlimit none{0, 0}, memory{mappedBytes() + bytesOfCalls, mappedBytes() + bytesOfCalls};
  ::setrlimit(RLIMIT_CORE, &none);
  ::setrlimit(RLIMIT_AS, &memory);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::alarm(secondsOfChild);
}

void startClock() {
  const itimerval once{{0, 0}, {secondsOfCall, 0}};
  ::setitimer(ITIMER_PROF, &once, nullptr);
}

void run(const inputs::Sample& call, runtime::Device& device, uint64_t seed) {
  const bool isRefused = inputs::refusalOf(call.op).has_value();
  try {
    runtime::Call bound(call, device, seed);
    if (isRefused) breach(fmt::format("{} was bound", call.op));
    bound.eager();
    ++reported->ran;
  } catch (const std::exception& error) {
    ++(std::strstr(error.what(), " is refused: ") != nullptr ? reported->refused : reported->failed);
  }
}

}  // namespace

void confine(const Sandbox& sandbox, bool isWatched, Report& report, const Act& act) {
  reported = &report;
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // so that nothing printed is lost with this process
  sandbox.enter();
  limit();
  report.isFiltered = isWatched && trapSystemCalls(onTrap);
  report.hasStarted = true;
  act(report);
  _exit(0);
}

void runCalls(const std::vector<inputs::Sample>& calls, Report& report) {
  const auto device = runtime::openDevice("cpu", 1);
  const ProcessState before;
  for (int64_t i = report.next; i < std::ssize(calls); report.next = ++i) {
    startClock();
    run(calls[static_cast<size_t>(i)], *device, static_cast<uint64_t>(i));
    if (ProcessState() != before) breach("the state of the process changed");
  }
}

}  // namespace hostile
