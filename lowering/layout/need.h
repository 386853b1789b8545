#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <utility>

#include "ir/error.h"

namespace lowering {

constexpr int64_t mostHeld = 512;  ///< elements of one tensor that a thread of a GPU may hold

/// Error: Input, with a reason that is formatted as by fmt::format, unless what a schedule needs `holds`.
template <typename... Args>
void need(bool holds, fmt::format_string<Args...> reason, Args&&... args) {
  if (!holds) ir::fail(ir::ErrorKind::Input, "schedule: {}", fmt::format(reason, std::forward<Args>(args)...));
}

constexpr bool isPowerOfTwo(int64_t n) { return n > 0 && std::has_single_bit(static_cast<uint64_t>(n)); }

}  // namespace lowering
