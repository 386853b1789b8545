#include "runtime/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace runtime {

Hash hash(std::string_view data, Hash state) {
  constexpr Hash multipliers{0x9E3779B97F4A7C15ULL, 0xC2B2AE3D27D4EB4FULL};
  const auto mix = [&](uint64_t word) {
    for (size_t i = 0; i < 2; ++i) {
      state[i] = (state[i] ^ word) * multipliers[i];
      state[i] ^= state[i] >> (29 + i);
    }
    state[0] += state[1];
  };
  mix(data.size());
  for (; !data.empty(); data.remove_prefix(std::min<size_t>(8, data.size()))) {
    uint64_t word = 0;
    std::memcpy(&word, data.data(), std::min<size_t>(8, data.size()));
    mix(word);
  }
  mix(state[1]);
  mix(state[0]);
  return state;
}

std::string digest(std::string_view data) {
  const Hash sum = hash(data);
  return fmt::format("{:016x}{:016x}", sum[0], sum[1]);
}

}  // namespace runtime
