#pragma once

#include <string>

namespace opbench::report {

/// How far a run is.
struct Progress {
  int done = 0, failed = 0, samples = 0;
  int raced = 0;       ///< of those done, what this run raced itself
  double seconds = 0;  ///< that these took
};

/// The single line that a terminal shows while a run goes on: `[ 12/431] 1 failed  aten.add.Tensor f16[128, 768]  2:31 left`, cut
/// to `width` characters. `what` was begun last; nothing is foretold before three are done.
std::string progress(const Progress& progress, const std::string& what, int width);
/// The line that is written now and then where there is no terminal: `12 of 431 samples, 1 failed, 2:31 left`.
std::string progress(const Progress& progress);

/// Clears that line.
inline constexpr const char* clearLine = "\r\033[K";

}  // namespace opbench::report
