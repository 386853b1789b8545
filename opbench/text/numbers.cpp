#include "opbench/text/numbers.h"

#include <charconv>
#include <cmath>
#include <memory>

namespace opbench {
namespace {

/// The number that all of a text is; nothing where it is none, or out of range.
template <typename Number>
std::optional<Number> numberIn(std::string_view text) {
  Number value{};
  const char* end = std::to_address(text.end());
  const auto [stop, error] = std::from_chars(std::to_address(text.begin()), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<int64_t> wholeNumber(std::string_view text) {
  if (const auto integer = numberIn<int64_t>(text)) {
    return *integer >= -largestNumber && *integer <= largestNumber ? integer : std::nullopt;
  }
  const auto number = numberIn<double>(text);
  if (!number || *number != std::floor(*number) || std::abs(*number) > static_cast<double>(largestNumber)) return std::nullopt;
  return static_cast<int64_t>(*number);
}

}  // namespace opbench
