#pragma once

#include <cstdint>
#include <optional>

namespace runtime {

/// A device's memory, in bytes.
struct Memory {
  int64_t free = 0;  ///< that a sample can have
  int64_t total = 0;
};

/// How much memory was in use at most while it was watched, in bytes. What lay there before is not counted in `allocated` and
/// `reserved`; the others are what the system says of the whole process or device.
struct MemoryPeaks {
  int64_t allocated = 0;            ///< by tensors
  std::optional<int64_t> reserved;  ///< by the allocator, which keeps what tensors give back; nothing on a CPU
  std::optional<int64_t> process;   ///< of the device, by this process; nothing on a CPU, and where the driver does not tell
  std::optional<int64_t> device;    ///< of the device, by all
  std::optional<int64_t> host;      ///< resident memory of this process; nothing where Linux does not tell
  bool operator==(const MemoryPeaks&) const = default;
};

/// Watches memory as long as it lives: what the thread that made it allocates, and what backward passes allocate for that thread.
class MemoryWatch {
 public:
  virtual ~MemoryWatch() = default;
  virtual MemoryPeaks peaks() const = 0;
};

}  // namespace runtime
