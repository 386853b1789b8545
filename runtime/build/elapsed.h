#pragma once

#include <chrono>

namespace runtime {

/// Milliseconds since then.
inline double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace runtime
