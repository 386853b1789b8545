#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opbench/profile/trace.h"

namespace opbench::profile {

/// Time spent by a contender in all kernels of one name, or, on a CPU, in calls of one name without the calls that they make.
struct Spent {
  std::string name;
  int64_t calls = 0;
  double seconds = 0;
  std::optional<int64_t> registers;
  std::optional<double> occupancy;
  std::optional<double> bytesPerSecond;  ///< of copies, and of a kernel that is all there is
};

/// Seconds in which a GPU did nothing though a run had begun, by what it waited for.
struct Idle {
  double host = 0;             ///< the host had not launched the next kernel
  double synchronisation = 0;  ///< the host waited for the device before it launched it
  double latency = 0;          ///< it was launched, and began later
  double end = 0;              ///< the last kernel had ended, the run had not
  double sum() const { return host + synchronisation + latency + end; }
};

/// One contender's runs.
struct Profile {
  std::string contender;
  int runs = 0;
  double seconds = 0;  ///< of all runs, on the host's clock
  bool isOnGpu = false;
  double kernelSeconds = 0;  ///< of kernels, or of calls on a CPU
  std::vector<Spent> spent;  ///< the most first
  Idle idle;                 ///< of a GPU
};

/// The contenders of a trace, in its order. A trace that names no runs, as torch.profiler's do not, is one contender's one run.
std::vector<Profile> profilesOf(const Trace& trace);

}  // namespace opbench::profile
