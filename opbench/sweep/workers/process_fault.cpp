#include "opbench/sweep/workers/process_fault.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <cassert>
#include <csignal>
#include <cstdlib>

#include "inputs/sample.h"
#include "ir/error.h"
#include "opbench/sweep/workers/channel.h"
#include "runtime/torch/call.h"

namespace opbench {
namespace {

void allocate(runtime::Device& device) {
  const auto read = inputs::parseFile("Operator: aten.zeros.default\ncnt: 1, (([281474976710656],), {})\n", "process fault", "");
  ir::require(read.samples.size() == 1, "the process fault's sample cannot be read");
  runtime::Call(read.samples.front(), device, 0).eager();
}

/// Starts a kernel of one thread that does this.
void launch(std::string_view body, runtime::Device& device) {
  codegen::Program program;
  program.name = "process_fault";
  program.backend = ir::Backend::Cuda;
  program.source = fmt::format(
      "extern \"C\" __device__ void __assertfail(const char*, const char*, unsigned, const char*, unsigned long);\n"
      "extern \"C\" __global__ void process_fault() {{ {} }}\n",
      body);
  program.arch = device.target().arch;
  device.compile(program, runtime::Cache())->launch(nullptr);
}

void hang() {
  for (;;) ::pause();
}

void flood() {
  const std::string block(size_t{1} << 16, 'x');
  for (;;) [[maybe_unused]]
    const ssize_t count = ::write(STDERR_FILENO, block.data(), block.size());
}

/// Another process traces this one and never lets go of it: whoever waits for its end waits in vain, as for one that hangs in a
/// driver.
void becomeUndead() {
  constexpr unsigned seconds = 30;
  const pid_t traced = ::getpid();
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  if (::fork() == 0) {
    ::setsid();
    ::close_range(0, ~0U, 0);
    ::ptrace(PTRACE_SEIZE, traced, nullptr, nullptr);
    ::sleep(seconds);
    ::_exit(0);
  }
  hang();
}

void causeOnHost(ProcessFault fault) {
  switch (fault) {
    case ProcessFault::Segfault: std::raise(SIGSEGV); return;
    case ProcessFault::Abort: std::abort();
    case ProcessFault::Assert: __assert_fail("false", "process_fault.cpp", 1, "cause"); return;
    case ProcessFault::Hang: hang(); return;
    case ProcessFault::Flood: flood(); return;
    case ProcessFault::Babble: Channel::send("no reply\n"); return;
    case ProcessFault::Undead: becomeUndead(); return;
    case ProcessFault::HugeAllocation:
    case ProcessFault::DeviceAssert:
    case ProcessFault::IllegalAddress:
    case ProcessFault::DeviceHang:
    case ProcessFault::CompilerAbort:
    case ProcessFault::CompilerHang: return;
  }
}

void causeOne(ProcessFault fault, runtime::Device& device) {
  switch (fault) {
    case ProcessFault::Segfault:
    case ProcessFault::Abort:
    case ProcessFault::Assert:
    case ProcessFault::Hang:
    case ProcessFault::Flood:
    case ProcessFault::Babble:
    case ProcessFault::Undead: return causeOnHost(fault);
    case ProcessFault::CompilerAbort:
    case ProcessFault::CompilerHang: return;
    case ProcessFault::HugeAllocation: allocate(device); return;
    case ProcessFault::DeviceAssert:
      launch("__assertfail(\"false\", \"process_fault.cu\", 1, \"process_fault\", 1);", device);
      return;
    case ProcessFault::IllegalAddress: launch("*(volatile int*)64 = 1;", device); return;
    case ProcessFault::DeviceHang: launch("for (;;) asm volatile(\"nanosleep.u32 1000;\");", device); return;
  }
}

}  // namespace

void cause(const std::vector<PlannedProcessFault>& faults, int index, runtime::Device& device) {
  for (const PlannedProcessFault& planned : faults)
    if (planned.index == index) causeOne(planned.fault, device);
}

void causeInCompiler(const std::vector<PlannedProcessFault>& faults, int index) {
  for (const PlannedProcessFault& planned : faults) {
    if (planned.index != index) continue;
    const ProcessFault fault = planned.fault;
    causeOnHost(fault == ProcessFault::CompilerAbort  ? ProcessFault::Abort
                : fault == ProcessFault::CompilerHang ? ProcessFault::Hang
                                                      : fault);
  }
}

}  // namespace opbench
