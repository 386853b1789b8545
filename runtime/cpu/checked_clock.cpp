#include "runtime/cpu/checked_clock.h"

#include <cpuid.h>
#include <fmt/format.h>
#include <x86intrin.h>

namespace runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether the counter goes at one rate, whatever the core's clock does.
bool isConstant() {
  constexpr unsigned leaf = 0x80000007, invariant = 1U << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
}

/// Ticks a second, by the system's clock; 0 where the counter is of no use.
double measuredRate() {
  if (!isConstant()) return 0;
  const Clock::time_point start = Clock::now();
  const uint64_t ticks = __rdtsc();
  while (Clock::now() - start < std::chrono::milliseconds(5)) continue;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return static_cast<double>(__rdtsc() - ticks) / seconds;
}

double rate() {
  static const double measured = measuredRate();
  return measured;
}

}  // namespace

void CheckedClock::calibrate() { rate(); }

void CheckedClock::start() {
  startTicks_ = __rdtsc();
  start_ = Clock::now();
}

double CheckedClock::stop() {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (rate() == 0) return seconds;
  const double counted = static_cast<double>(__rdtsc() - startTicks_) / rate();
  ++runs_;
  // The counter is read around the clock, and sees the reading of that, too.
  constexpr double ofReadings = 1e-6, agreeing = 1.5;
  if (counted <= agreeing * seconds + ofReadings) return seconds;
  ++differing_;
  seconds_ += seconds;
  counted_ += counted;
  return seconds;
}

std::string CheckedClock::fault() const {
  // A thread that loses its processor between the two readings is no fault.
  constexpr int least = 3, share = 10;
  if (differing_ < least || differing_ * share < runs_) return "";
  return fmt::format("the clock says that {} of its {} runs took {:.3g} ms, the processor's counter that they took {:.3g} ms",
                     differing_, runs_, seconds_ * 1e3, counted_ * 1e3);
}

}  // namespace runtime
