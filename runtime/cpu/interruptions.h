#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace runtime {

/// Counts runs that other programs disturbed: a thread of this process with work left lost its processor for more than a
/// hundredth of the run. In a run of milliseconds the system itself nearly always takes a processor for some microseconds.
class Interruptions {
 public:
  /// How many there were so far; to be asked before each run and after it.
  int64_t count();

 private:
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();  ///< when this was asked last
  bool wasLong_ = false;        ///< whether the time before that was longer than reading how much was lost
  int64_t switches_ = 0;        ///< processors taken until then
  std::optional<double> lost_;  ///< the time lost until then; nothing where it was not read
  int64_t count_ = 0;
};

}  // namespace runtime
