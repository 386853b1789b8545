#pragma once

#include <cstdint>
#include <span>

namespace inputs {

/// Numbers `first` on of a stream, normalQuantile(uniform(randomBits(key, i))) bit for bit, on this thread in half of the time.
void drawNormals(uint64_t key, uint64_t first, std::span<double> values);

}  // namespace inputs
