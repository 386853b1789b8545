#include "opbench/check/faults/process_fault_causes.h"

#include <fmt/format.h>

#include "inputs/sample.h"
#include "ir/error.h"
#include "runtime/workloads/call.h"

namespace opbench {
namespace {

void allocate(runtime::Device& device) {
  const auto read = inputs::parseFile("Operator: aten.zeros.default\ncnt: 1, (([281474976710656],), {})\n", "process fault", "");
  ir::require(read.samples.size() == 1, "the process fault's sample cannot be read");
  runtime::Call(read.samples.front(), device, 0).eager();
}

/// Starts a kernel of one thread that does this.
void launch(std::string_view body, runtime::Device& device) {
  ir::KernelSource program;
  program.name = "process_fault";
  program.backend = ir::Backend::Cuda;
  program.source = fmt::format(
      "extern \"C\" __device__ void __assertfail(const char*, const char*, unsigned, const char*, unsigned long);\n"
      "extern \"C\" __global__ void process_fault() {{ {} }}\n",
      body);
  program.arch = device.target().arch;
  device.compile(program, runtime::Cache())->launch(nullptr);
}

void causeOnDevice(ProcessFault fault, runtime::Device& device) {
  switch (fault) {
    case ProcessFault::HugeAllocation: allocate(device); return;
    case ProcessFault::DeviceAssert:
      launch("__assertfail(\"false\", \"process_fault.cu\", 1, \"process_fault\", 1);", device);
      return;
    case ProcessFault::IllegalAddress: launch("*(volatile int*)64 = 1;", device); return;
    case ProcessFault::DeviceHang: launch("for (;;) asm volatile(\"nanosleep.u32 1000;\");", device); return;
    case ProcessFault::Segfault:
    case ProcessFault::Abort:
    case ProcessFault::Assert:
    case ProcessFault::Hang:
    case ProcessFault::Flood:
    case ProcessFault::Babble:
    case ProcessFault::Undead:
    case ProcessFault::CompilerAbort:
    case ProcessFault::CompilerHang: return;
  }
}

}  // namespace

void cause(const std::vector<PlannedProcessFault>& faults, int index, runtime::Device& device) {
  causeOnHost(faults, index);
  for (const PlannedProcessFault& planned : faults)
    if (planned.index == index) causeOnDevice(planned.fault, device);
}

}  // namespace opbench
