#pragma once

#include <cstdint>

namespace lowering {

/// a / b rounded up; neither is negative.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace lowering
