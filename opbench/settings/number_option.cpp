#include "opbench/settings/number_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "opbench/text/numbers.h"

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

std::string readReal(std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? "" : fmt::format("expected a number, got '{}'", text);
}

std::string readSize(std::string& text) {
  const size_t digits = std::min(text.find_last_of("0123456789"), text.size() - 1) + 1;
  std::string number = text.substr(0, digits), unit = text.substr(digits);
  unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
  if (unit.ends_with('B')) unit.pop_back();
  double factor = 1;
  if (!unit.empty()) {
    const size_t power = std::string_view("kMGT").find(unit[0] == 'K' ? 'k' : unit[0]);
    const bool isBinary = unit.size() == 2 && unit[1] == 'i';
    if (power == std::string_view::npos || (unit.size() > 1 && !isBinary))
      return fmt::format("expected a size such as 2000000000, 2e9, 2G or 2Gi, got '{}'", text);
    factor = std::pow(isBinary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  if (factor > 1) {
    double value = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc() && stop == number.data() + number.size()) number = fmt::format("{:.0f}", value * factor);
  }
  if (const std::string why = readWholeNumber(number); !why.empty())
    return fmt::format("expected a size such as 2000000000, 2e9, 2G or 2Gi, got '{}'", text);
  text = number;
  return "";
}

}  // namespace opbench
