#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

/// Memory that tensors hold, in bytes.
struct HeldMemory {
  int64_t now = 0;
  int64_t most = 0;  ///< since that was asked last
};

/// The memory that tensors hold, in bytes, by a part of a run.
struct MemoryLine {
  std::string name;     ///< of a module, or `aten.add.Tensor add_1` of a call of none; of memory of neither: `(operands)`,
                        ///< `(backward)`, `(optimizer)`, and `(forward)` for the rest of that
  int64_t added = 0;    ///< by its calls, all together; less than 0 where they give back
  int64_t current = 0;  ///< when its last call ended, operands included
  int64_t peak = 0;     ///< while it ran, operands included
  bool operator==(const MemoryLine&) const = default;
};

/// Watches memory as long as it lives: what the thread that made it allocates, and what backward passes allocate for that thread.
class MemoryWatch {
 public:
  virtual ~MemoryWatch() = default;
  virtual MemoryPeaks peaks() const = 0;
  /// The memory that tensors hold, as far as it was allocated since the watch began; earlier memory that was given back counts as
  /// less.
  virtual HeldMemory held() = 0;
};

}  // namespace runtime
