#pragma once

#include <cstdint>

namespace runtime {

/// A device's memory, in bytes.
struct Memory {
  int64_t free = 0;  ///< that a sample can have
  int64_t total = 0;
};

}  // namespace runtime
