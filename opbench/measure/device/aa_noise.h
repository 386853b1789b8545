#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "opbench/results/device_rates.h"

namespace opbench {

/// The speedups of one call in one process: one for each time that it was made anew, with memory and code of its own.
struct AACall {
  double seconds = 0;  ///< of the baseline
  std::vector<double> speedups;
};

/// What a process measured: the same calls as every other, in the same order.
struct AAProcess {
  int64_t measured = 0;  ///< seconds since 1970
  std::vector<AACall> calls;
};

/// The A/A noise as the cache keeps it.
struct CachedAANoise {
  /// Processes that measure it before no further one does.
  static constexpr size_t enough = 5;

  std::vector<AAProcess> processes;  ///< the oldest first
  AANoise byRun;                     ///< by the latest runs with `--aa`, whose samples are a user's own

  /// The noise that the processes or the runs tell, whichever is larger.
  AANoise noise() const;
};

std::string toText(const CachedAANoise& cached);
/// Nothing for a text that is none; without processes that measured more than 30 days before `now`.
std::optional<CachedAANoise> cachedAANoiseOf(std::string_view text, int64_t now);

}  // namespace opbench
