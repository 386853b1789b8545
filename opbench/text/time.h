#pragma once

#include <cstdint>

namespace opbench {

/// Seconds since 1970.
int64_t now();

}  // namespace opbench
