#include "opbench/show/filter.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "ir/error.h"

namespace opbench::show {
namespace {

using ir::ErrorKind;
using ir::fail;

/// The longer ones come first: `<=` begins with `<`.
constexpr std::pair<std::string_view, Comparison> comparisons[] = {{"!=", Comparison::Unequal}, {"<=", Comparison::AtMost},
                                                                   {">=", Comparison::AtLeast}, {"=", Comparison::Equal},
                                                                   {"<", Comparison::Less},     {">", Comparison::More}};

std::optional<double> numberOf(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Whether a text has the form of a pattern. Brackets and backslashes stand for themselves: texts of samples are full of them.
bool matches(const std::string& text, const std::string& pattern) {
  std::string glob;
  for (const char c : pattern) glob += c == '[' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

bool compares(double a, Comparison comparison, double b) {
  switch (comparison) {
    case Comparison::Equal: return a == b;
    case Comparison::Unequal: return a != b;
    case Comparison::Less: return a < b;
    case Comparison::AtMost: return a <= b;
    case Comparison::More: return a > b;
    case Comparison::AtLeast: return a >= b;
  }
  return false;
}

}  // namespace

bool Filter::holds(const Line& line) const {
  const Value& found = line[field];
  if (const auto *number = std::get_if<double>(&found), *asked = std::get_if<double>(&value); number && asked)
    return compares(*number, comparison, *asked);
  const auto *text = std::get_if<std::string>(&found), *pattern = std::get_if<std::string>(&value);
  const bool isEqual = text && pattern && matches(*text, *pattern);
  return comparison == Comparison::Equal ? isEqual : comparison == Comparison::Unequal && !isEqual;
}

Filter filterOf(const std::string& text, const Lines& lines) {
  const std::string where = fmt::format("--filter '{}'", text);
  const size_t at = text.find_first_of("=<>!");
  const auto* found = std::find_if(std::begin(comparisons), std::end(comparisons), [&](const auto& named) {
    return at != std::string::npos && text.compare(at, named.first.size(), named.first) == 0;
  });
  if (found == std::end(comparisons) || at == 0)
    fail(ErrorKind::Input, "{}: expected a field, one of = != < <= > >=, and a value, as in speedup<1", where);
  Filter filter{fieldNamed(text.substr(0, at), lines, where), found->second, text.substr(at + found->first.size())};
  const std::string value = std::get<std::string>(filter.value);
  if (isNumeric(filter.field, lines)) {
    const auto number = numberOf(value);
    if (!number) fail(ErrorKind::Input, "{}: {} is a number, got '{}'", where, filter.field, value);
    filter.value = *number;
  } else if (filter.comparison != Comparison::Equal && filter.comparison != Comparison::Unequal) {
    fail(ErrorKind::Input, "{}: {} is a text, which is compared by = and != alone", where, filter.field);
  }
  return filter;
}

}  // namespace opbench::show
