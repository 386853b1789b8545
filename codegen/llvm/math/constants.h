#pragma once

namespace codegen {

/// Adding it to a number below 2^22 leaves the nearest integer in the low bits of the sum.
inline constexpr double toNearest = 0x1.8p23;
/// The high part has 8 bits to spare, so that n * ln2High is exact even where multiply and add are not fused.
inline constexpr double ln2High = 0x1.62e4p-1, ln2Low = 0x1.7f7d1cp-20;

}  // namespace codegen
