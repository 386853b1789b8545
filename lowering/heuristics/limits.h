#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "ir/target.h"

/// The measured limits of the schedules, one constant for each line of limits.def: `limits::rows::widestBlock`.
namespace lowering::limits {

enum class Unit : uint8_t { Bytes, SharedBytes, Threads, Ctas, Vectors, Elements, Rows, Registers, Tiles, Groups, Tasks, Ratio };

/// A limit that is a part or a multiple of something.
struct Ratio {
  int64_t numerator = 0;
  int64_t denominator = 1;

  /// So much of a whole, rounded down: what is more than this is more than the ratio of it, too.
  constexpr int64_t of(int64_t whole) const { return whole * numerator / denominator; }
  /// Whether a part is at least the ratio of a whole.
  constexpr bool isReached(int64_t part, int64_t whole) const { return part * denominator >= whole * numerator; }
};

/// The type of a limit: an int for what launches count in ints.
template <Unit unit>
using ValueOf =
    std::conditional_t<unit == Unit::Ratio, Ratio, std::conditional_t<unit == Unit::Threads || unit == Unit::Ctas, int, int64_t>>;

inline constexpr int64_t kb = 1 << 10, mb = 1 << 20;

// NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared
#define LIMIT(group, name, value, unit, meaning)    \
  namespace group {                                 \
  inline constexpr ValueOf<Unit::unit> name{value}; \
  }
#include "lowering/heuristics/limits.def"
#undef LIMIT
// NOLINTEND(bugprone-macro-parentheses)

/// A line of limits.def; its value as a ratio, to 1 where it is a number.
struct Limit {
  std::string_view group, name;
  Ratio value;
  Unit unit;
  std::string_view meaning;
};

inline constexpr std::array table{
#define LIMIT(group, name, value, unit, meaning) Limit{#group, #name, Ratio{group::name}, Unit::unit, meaning},
#include "lowering/heuristics/limits.def"
#undef LIMIT
};

}  // namespace lowering::limits
