#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace runtime {

/// Times runs by the system's clock, and asks the processor's own counter whether that is so: a library that is loaded into the
/// process may have replaced the functions that tell the time, but not the instruction.
class CheckedClock {
 public:
  void start();
  /// Seconds since start(), by the system's clock.
  double stop();
  /// Why the times are not to be believed: `the clock says 1.2 ms where the processor's counter says 3.4 ms`. Nothing where they
  /// agree, and where the processor has no counter of constant rate.
  std::string fault() const;

  /// Measures the counter's rate, once, before any library of the user's is loaded.
  static void calibrate();

 private:
  std::chrono::steady_clock::time_point start_;
  uint64_t startTicks_ = 0;
  int runs_ = 0;
  int differing_ = 0;                 ///< runs of which the counter says that they took clearly longer
  double seconds_ = 0, counted_ = 0;  ///< what the two say of these
};

}  // namespace runtime
