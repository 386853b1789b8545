#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbench {

/// Times differ by other shares the shorter they are: below 10 us, to 100 us, and longer.
inline constexpr size_t durationClasses = 3;
size_t durationClassOf(double seconds);
/// `below 10 us`, `10 to 100 us`, `100 us and more`.
std::string_view durationName(size_t durationClass);

/// The A/A noise of a device: the share by which two measurements of the same code differ at most, in 95 % of cases, by the class
/// of duration; nothing where it is not known.
struct AANoise {
  std::array<std::optional<double>, durationClasses> shares;

  std::optional<double> of(double seconds) const { return shares[durationClassOf(seconds)]; }
  bool operator==(const AANoise&) const = default;
};

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
  /// Timings of a run with `--aa` that tell the noise of a class.
  static constexpr int leastTimings = 30;

  std::vector<AAProcess> processes;  ///< the oldest first
  AANoise byRun;                     ///< by the latest runs with `--aa`, whose samples are a user's own

  /// The larger of what both tell.
  AANoise noise() const;
};

std::string toText(const CachedAANoise& cached);
/// Nothing for a text that is none; without processes that measured more than 30 days before `now`.
std::optional<CachedAANoise> cachedAANoiseOf(std::string_view text, int64_t now);

}  // namespace opbench
