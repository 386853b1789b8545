#include "runtime/cpu/checked_clock.h"

#include <cpuid.h>
#include <fmt/format.h>
#include <x86intrin.h>

#include <algorithm>

namespace runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether the counter goes at one rate, whatever the core's clock does.
bool isConstant() {
  constexpr unsigned leaf = 0x80000007, invariant = 1U << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
}

/// Ticks a second, by the system's clock, never less than there are: the counter is read around the clock, and a thread may lose
/// its processor between the two readings.
double measuredRate() {
  const uint64_t ticks = __rdtsc();
  const Clock::time_point start = Clock::now();
  while (Clock::now() - start < std::chrono::milliseconds(2)) continue;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return static_cast<double>(__rdtsc() - ticks) / seconds;
}

/// The least of several measurements; 0 where the counter is of no use.
double leastRate() {
  if (!isConstant()) return 0;
  return std::min({measuredRate(), measuredRate(), measuredRate()});
}

double rate() {
  static const double measured = leastRate();
  return measured;
}

}  // namespace

void CheckedClock::calibrate() { rate(); }

// The counter is read between the readings of the clock. So whatever happens to the thread between two readings, an honest clock
// never says less than the counter does.
void CheckedClock::start() {
  start_ = Clock::now();
  startTicks_ = __rdtsc();
}

double CheckedClock::stop() {
  const uint64_t ticks = __rdtsc() - startTicks_;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (rate() == 0) return seconds;
  const double counted = static_cast<double>(ticks) / rate();
  ++runs_;
  constexpr double agreeing = 1.5, ofReadings = 1e-7;
  if (counted <= agreeing * seconds + ofReadings) return seconds;
  ++differing_;
  seconds_ += seconds;
  counted_ += counted;
  return seconds;
}

std::string CheckedClock::fault() const {
  constexpr int least = 3, share = 10;  // a machine that was halted may set its clock right
  if (differing_ < least || differing_ * share < runs_) return "";
  return fmt::format("the clock says that {} of its {} runs took {:.3g} ms, the processor's counter that they took {:.3g} ms",
                     differing_, runs_, seconds_ * 1e3, counted_ * 1e3);
}

}  // namespace runtime
