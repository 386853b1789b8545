#include "opbench/sweep/workers/accident.h"

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
  const auto read = inputs::parseFile("Operator: aten.zeros.default\ncnt: 1, (([281474976710656],), {})\n", "accident", "");
  ir::require(read.samples.size() == 1, "the accident's sample cannot be read");
  runtime::Call(read.samples.front(), device, 0).eager();
}

/// Starts a kernel of one thread that does this.
void launch(std::string_view body, runtime::Device& device) {
  codegen::Program program;
  program.name = "accident";
  program.backend = ir::Backend::Cuda;
  program.source = fmt::format(
      "extern \"C\" __device__ void __assertfail(const char*, const char*, unsigned, const char*, unsigned long);\n"
      "extern \"C\" __global__ void accident() {{ {} }}\n",
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

void causeOnHost(Accident accident) {
  switch (accident) {
    case Accident::Segfault: std::raise(SIGSEGV); return;
    case Accident::Abort: std::abort();
    case Accident::Assert: __assert_fail("false", "accident.cpp", 1, "cause"); return;
    case Accident::Hang: hang(); return;
    case Accident::Flood: flood(); return;
    case Accident::Babble: Channel::send("no reply\n"); return;
    case Accident::Undead: becomeUndead(); return;
    case Accident::HugeAllocation:
    case Accident::DeviceAssert:
    case Accident::IllegalAddress:
    case Accident::DeviceHang:
    case Accident::CompilerAbort:
    case Accident::CompilerHang: return;
  }
}

void causeOne(Accident accident, runtime::Device& device) {
  switch (accident) {
    case Accident::Segfault:
    case Accident::Abort:
    case Accident::Assert:
    case Accident::Hang:
    case Accident::Flood:
    case Accident::Babble:
    case Accident::Undead: return causeOnHost(accident);
    case Accident::CompilerAbort:
    case Accident::CompilerHang: return;
    case Accident::HugeAllocation: allocate(device); return;
    case Accident::DeviceAssert: launch("__assertfail(\"false\", \"accident.cu\", 1, \"accident\", 1);", device); return;
    case Accident::IllegalAddress: launch("*(volatile int*)64 = 1;", device); return;
    case Accident::DeviceHang: launch("for (;;) asm volatile(\"nanosleep.u32 1000;\");", device); return;
  }
}

}  // namespace

void cause(const std::vector<PlannedAccident>& accidents, int index, runtime::Device& device) {
  for (const PlannedAccident& planned : accidents)
    if (planned.index == index) causeOne(planned.accident, device);
}

void causeInCompiler(const std::vector<PlannedAccident>& accidents, int index) {
  for (const PlannedAccident& planned : accidents) {
    if (planned.index != index) continue;
    const Accident accident = planned.accident;
    causeOnHost(accident == Accident::CompilerAbort  ? Accident::Abort
                : accident == Accident::CompilerHang ? Accident::Hang
                                                     : accident);
  }
}

}  // namespace opbench
