#pragma once

#include <cstdint>
#include <iterator>

#include "inputs/random.h"

namespace tests {

/// Choices that a seed decides.
class Dice {
 public:
  explicit Dice(uint64_t seed) : key_(inputs::randomBits(0x6f7062656e6368, seed)) {}

  int64_t below(int64_t bound) { return inputs::integerBelow(inputs::randomBits(key_, thrown_++), bound); }
  /// From `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool oneIn(int64_t count) { return below(count) == 0; }
  template <typename List>
  const auto& pick(const List& list) {
    return *std::next(std::begin(list), below(std::ssize(list)));
  }

 private:
  uint64_t key_;
  uint64_t thrown_ = 0;
};

}  // namespace tests
