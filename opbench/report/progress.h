#pragma once

#include <string>

namespace opbench::report {

/// The single line that a terminal shows while a run goes on: `[ 12/431] aten.add.Tensor f16[128, 768]  2:31 left`, cut to
/// `width` characters. `what` is at hand, `done` samples took `seconds`; nothing is foretold before three are done.
std::string progress(int done, int samples, const std::string& what, double seconds, int width);

/// What clears that line.
inline constexpr const char* clearLine = "\r\033[K";

}  // namespace opbench::report
