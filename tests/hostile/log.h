#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/hostile/call_dice.h"

namespace hostile {

/// Calls, and how a log records them.
struct Log {
  std::vector<inputs::Sample> calls;  ///< as they were drawn
  std::string text;                   ///< what toText() writes of them, in some logs with bytes, names and lines changed
};

/// The log of a seed: so many calls, of one operator after another. `strings` are what an argument may hold.
Log drawLog(uint64_t seed, int calls, std::span<const Operator> operators, const std::vector<std::string>& strings);

}  // namespace hostile
