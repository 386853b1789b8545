#include "opbench/measure/energy.h"

#include <chrono>

namespace opbench {

std::optional<double> joulesOf(runtime::Trial& trial, runtime::Workload& workload, runtime::Device& device) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds least{500};
  device.synchronize();
  const std::optional<double> before = device.energy();
  if (!before) return std::nullopt;
  const Clock::time_point start = Clock::now();
  int runs = 0;
  for (; Clock::now() - start < least; ++runs) {
    if (workload.mutates()) workload.restore();
    trial.replay();
    device.synchronize();
  }
  return (*device.energy() - *before) / runs;
}

}  // namespace opbench
