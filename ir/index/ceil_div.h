#pragma once

#include <cstdint>

namespace ir {

/// a / b rounded down; b is positive.
constexpr int64_t floorDivided(int64_t a, int64_t b) { return a / b - static_cast<int64_t>(a % b < 0); }

}  // namespace ir

namespace lowering {

/// a / b rounded up; neither is negative.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace lowering
