#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbench {

/// A fault of the process or the device that a sample runs on, caused on purpose: it shows whether a sweep survives it. For
/// tests.
enum class ProcessFault {
  Segfault,        ///< the process reads what is not its own
  Abort,           ///< it gives up
  Assert,          ///< an assertion of the host's fails
  Hang,            ///< it goes on for ever
  Flood,           ///< it writes to standard error without end
  Babble,          ///< it says what is no reply to whoever has it race the sample
  Undead,          ///< it goes on for ever, and the system does not let go of it when it is killed
  HugeAllocation,  ///< it asks for a PiB of the device's memory
  DeviceAssert,    ///< CUDA: an assertion in a kernel fails
  IllegalAddress,  ///< CUDA: a kernel writes what is not its own
  DeviceHang,      ///< CUDA: a kernel goes on for ever
  CompilerAbort,   ///< a process that compiles it ahead of its turn gives up
  CompilerHang,    ///< or goes on for ever
};

/// An fault and the number of the sample that it happens to.
struct PlannedProcessFault {
  ProcessFault fault = ProcessFault::Abort;
  int index = 0;
  bool operator==(const PlannedProcessFault&) const = default;
};

/// `segfault`, `abort`, `assert`, `hang`, `flood`, `babble`, `undead`, `huge-allocation`, `device-assert`, `illegal-address`,
/// `device-hang`, `compiler-abort`, `compiler-hang`.
std::string_view name(ProcessFault fault);
/// Reads `segfault@3,hang@7`; nothing where it is not of this form.
std::optional<std::vector<PlannedProcessFault>> processFaultsFromText(std::string_view text);
std::string toText(const std::vector<PlannedProcessFault>& faults);

}  // namespace opbench
