#pragma once

#include <bit>
#include <cstdint>

#include "ir/index/ceil_div.h"
#include "ir/target.h"

namespace lowering {

/// So many threads, rounded up to whole warps.
constexpr int64_t wholeWarps(int64_t threads) { return ceilDiv(threads, ir::Target::warp) * ir::Target::warp; }

/// The threads of a group in which so many have something to do: a part of a warp that shuffles can combine, or whole warps.
constexpr int64_t groupOf(int64_t threads) {
  return threads <= ir::Target::warp ? static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(threads))) : wholeWarps(threads);
}

/// Threads that the device has at once.
constexpr int64_t residentThreads(const ir::Target& target) { return int64_t{target.processorThreads} * target.processors; }

/// The registers that a scheduler has for each thread of a warp, of which it has only one.
constexpr int64_t registersOfWarp(const ir::Target& target) {
  return target.processorRegisters / ir::Target::schedulers / ir::Target::warp;
}

/// A threshold in bytes of shared memory that was measured on an H200: the same part of a multiprocessor's shared memory.
constexpr int64_t ofShared(const ir::Target& target, int64_t bytes) {
  constexpr int64_t ofH200 = 228 << 10;
  return bytes * target.processorSharedBytes / ofH200;
}

}  // namespace lowering
