#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <utility>

#include "ir/error.h"
#include "ir/target.h"
#include "lowering/layout/layout.h"

namespace lowering {

constexpr int64_t mostHeld = 512;  ///< elements of one tensor that a thread of a GPU may hold

/// Error: Input, with a reason that is formatted as by fmt::format, unless what a schedule needs `holds`.
template <typename... Args>
void need(bool holds, fmt::format_string<Args...> reason, Args&&... args) {
  if (!holds) ir::fail(ir::ErrorKind::Input, "schedule: {}", fmt::format(reason, std::forward<Args>(args)...));
}

constexpr bool isPowerOfTwo(int64_t n) { return n > 0 && std::has_single_bit(static_cast<uint64_t>(n)); }

/// Error: Input, unless the threads of a CTA are whole warps.
inline void checkWarps(const Layout& layout) {
  const bool areWhole = layout.extent(Bind::Thread) % ir::Target::warp == 0;
  need(layout.block == 0 && areWhole, "a CTA has whole warps, all of them busy");
}

/// Error: Input, unless groups of so many threads can exchange, and fill CTAs of whole warps.
inline void checkGroups(int64_t group, const Layout& layout) {
  need(isPowerOfTwo(group) || group % ir::Target::warp == 0, "a group is a part of a warp or whole warps");
  checkWarps(layout);
}

}  // namespace lowering
