#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opbench {

/// The largest whole number that options and files may name in the form `2e9`.
inline constexpr int64_t largestNumber = 9'000'000'000'000'000;

/// Reads a whole number as people write it, `2000000000` or `2e9`; nothing where the text is none, or beyond largestNumber.
std::optional<int64_t> wholeNumber(std::string_view text);

}  // namespace opbench
