// The faults that need neither torch nor a device.
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <cassert>
#include <csignal>
#include <cstdlib>

#include "opbench/check/faults/process_fault_causes.h"
#include "opbench/process/channel.h"

namespace opbench {
namespace {

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

void causeOne(ProcessFault fault) {
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

}  // namespace

void causeOnHost(const std::vector<PlannedProcessFault>& faults, int index) {
  for (const PlannedProcessFault& planned : faults)
    if (planned.index == index) causeOne(planned.fault);
}

void causeInCompiler(const std::vector<PlannedProcessFault>& faults, int index) {
  for (const PlannedProcessFault& planned : faults) {
    if (planned.index != index) continue;
    const ProcessFault fault = planned.fault;
    causeOne(fault == ProcessFault::CompilerAbort  ? ProcessFault::Abort
             : fault == ProcessFault::CompilerHang ? ProcessFault::Hang
                                                   : fault);
  }
}

}  // namespace opbench
