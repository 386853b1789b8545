#include "opbench/cli/number_option.h"

#include <fmt/format.h>

#include <charconv>

#include "opbench/cli/numbers.h"

namespace opbench {

std::string readWholeNumber(std::string& text) {
  uint64_t natural = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, natural);
  if (error == std::errc() && stop == end) {
    text = std::to_string(natural);
    return "";
  }
  const auto number = wholeNumber(text);
  if (!number) return fmt::format("expected a whole number, got '{}'", text);
  text = std::to_string(*number);
  return "";
}

}  // namespace opbench
