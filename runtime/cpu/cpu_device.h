#pragma once

#include <memory>
#include <string>

#include "runtime/device.h"

namespace runtime {

/// This machine's CPU with `threads` workers (0: as many as ATen chooses). Opening it makes freed memory stay with the process,
/// so that outputs are not paid for in page faults.
std::unique_ptr<Device> openCpuDevice(int threads);

/// What this machine's CPU is called: `Intel Xeon ...`.
std::string cpuName();

/// The fields of the environment that do not depend on the device: torch, host, CPU and kernel.
Environment hostEnvironment();

/// Gives ATen, and with it parallelFor, that many threads.
void setThreads(int threads);

/// Where the library lies that holds ATen (`.../torch/lib`).
std::string torchFolder();
/// torch's release and where it lies, for `opbench doctor`.
std::string torchFact();

}  // namespace runtime
