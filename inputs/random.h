#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace inputs {

__extension__ typedef __int128 Int128;

/// One of 2^64 independent 64-bit values: the `index`-th of the stream `key` (the finaliser of SplitMix64: Steele, Lea,
/// Flood, "Fast splittable pseudorandom number generators", 2014). Any element can be drawn without those before it.
inline uint64_t randomBits(uint64_t key, uint64_t index) {
  uint64_t x = key + (index + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A number strictly between 0 and 1.
inline double uniform(uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

/// An integer from 0 to `bound` - 1; `bound` is positive.
inline int64_t integerBelow(uint64_t bits, int64_t bound) {
  return static_cast<int64_t>((static_cast<Int128>(bits >> 1) * bound) >> 63);
}

/// Whether normalQuantile() takes a logarithm.
inline bool isOfTail(double p) { return !(std::abs(p - 0.5) <= 0.425); }

/// The quantile of the standard normal distribution at `p` in (0, 1), to about 7 digits (Wichura, algorithm AS 241,
/// PPND7, Applied Statistics 37, 1988).
inline double normalQuantile(double p) {
  double q = p - 0.5;
  if (!isOfTail(p)) {
    double r = 0.180625 - q * q;
    return q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
           (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0);
  }
  double r = std::sqrt(-std::log(std::min(p, 1.0 - p))), tail;
  if (r <= 5.0) {
    r -= 1.6;
    tail = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) /
           ((0.12021132975 * r + 0.73700164250) * r + 1.0);
  } else {
    r -= 5.0;
    tail = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150) /
           ((0.012258202635 * r + 0.24197894225) * r + 1.0);
  }
  return std::copysign(tail, q);
}

}  // namespace inputs
