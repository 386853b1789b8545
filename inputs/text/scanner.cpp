#include "inputs/text/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace inputs {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isBlank(char c) { return c == ' ' || c == '\t'; }
bool startsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continuesName(char c) { return startsName(c) || isDigit(c) || c == '.'; }
bool continuesNumber(char c) { return isDigit(c) || c == '.'; }

int hexDigit(char c) {
  if (isDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr size_t longest = 32;
  if (text == "'") return "\"'\"";
  std::string inside;
  for (char c : text.substr(0, longest))
    if (c >= ' ' && c <= '~')
      inside += c;
    else
      inside += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return fmt::format("'{}{}'", inside, text.size() > longest ? "..." : "");
}

size_t Scanner::position() {
  while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
  return at_;
}

char Scanner::peek() { return position() < text_.size() ? text_[at_] : '\0'; }

std::string_view Scanner::peekName() {
  if (!startsName(peek())) return {};
  size_t end = at_;
  while (end < text_.size() && continuesName(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

std::string_view Scanner::takeName() {
  std::string_view name = peekName();
  at_ += name.size();
  return name;
}

bool Scanner::accept(char token) {
  if (position() == text_.size() || text_[at_] != token) return false;
  ++at_;
  return true;
}

void Scanner::expect(char token) {
  if (!accept(token)) expected(fmt::format("'{}'", token));
}

void Scanner::expectEnd() {
  if (position() != text_.size() && text_[at_] != '#') expected("the end of the line");
}

std::string_view Scanner::between(size_t from, size_t to) const {
  while (to > from && isBlank(text_[to - 1])) --to;
  return text_.substr(from, to - from);
}

Number Scanner::number() {
  bool negative = accept('-');
  if (!negative) accept('+');
  size_t start = position();
  Number number = unsignedNumber();
  if (!negative) {
    if (number.kind == Number::Kind::Integer && number.integer == std::numeric_limits<int64_t>::min())
      expectedAt(start, "an integer of 64 bits");
    return number;
  }
  number.integer = number.integer == std::numeric_limits<int64_t>::min() ? number.integer : -number.integer;
  number.value = -number.value;
  return number;
}

// Integers are read as their magnitude; 2^63, which only a minus sign makes one of 64 bits, is returned as the minimum.
Number Scanner::unsignedNumber() {
  size_t start = position();
  std::string_view name = peekName();
  for (std::string_view special : {"inf", "nan", "infj", "nanj"}) {
    if (name != special) continue;
    takeName();
    double value = special[0] == 'i' ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return {special.size() == 4 ? Number::Kind::Imaginary : Number::Kind::Float, 0, value};
  }
  if (!continuesNumber(peek())) expected("a number");
  bool whole = true;
  size_t end = start;
  while (end < text_.size() && continuesNumber(text_[end])) whole &= text_[end++] != '.';
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    whole = false;
    ++end;
    if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
    while (end < text_.size() && isDigit(text_[end])) ++end;
  }
  const char *first = text_.data() + start, *last = text_.data() + end;
  double value = 0;
  auto [stop, error] = std::from_chars(first, last, value);
  if (stop != last) expected("a number");
  if (error != std::errc()) expected("a number in the range of a double");
  at_ = end;
  if (at_ < text_.size() && text_[at_] == 'j') {
    ++at_;
    return {Number::Kind::Imaginary, 0, value};
  }
  if (at_ < text_.size() && startsName(text_[at_])) expectedAt(start, "a number");
  if (!whole) return {Number::Kind::Float, 0, value};
  uint64_t magnitude = 0;
  bool fits = std::from_chars(first, last, magnitude).ec == std::errc() && magnitude <= uint64_t{1} << 63;
  if (!fits) expectedAt(start, "an integer of 64 bits");
  return {Number::Kind::Integer, static_cast<int64_t>(magnitude), value};
}

std::string Scanner::quoted() {
  size_t start = position();
  if (start == text_.size() || (text_[start] != '\'' && text_[start] != '"')) expected("a string");
  char quote = text_[at_++];
  std::string value;
  while (at_ < text_.size() && text_[at_] != quote) {
    if (text_[at_] != '\\') {
      value += text_[at_++];
    } else {
      value += escape();
    }
  }
  if (at_ == text_.size()) expectedAt(at_, fmt::format("{} that ends the string", quote == '"' ? "'\"'" : "\"'\""));
  ++at_;
  return value;
}

char Scanner::escape() {
  size_t start = at_++;
  constexpr std::string_view letters = "\\'\"ntrabfv", values = "\\'\"\n\t\r\a\b\f\v";
  char letter = at_ < text_.size() ? text_[at_++] : '\0';
  if (size_t i = letters.find(letter); letter != '\0' && i != std::string_view::npos) return values[i];
  if (letter == 'x' && at_ + 2 <= text_.size()) {
    int high = hexDigit(text_[at_]), low = hexDigit(text_[at_ + 1]);
    at_ += 2;
    if (high >= 0 && high < 8 && low >= 0) return static_cast<char>(high * 16 + low);
  }
  expectedAt(start, "an escape such as \\n or \\x1f");
}

std::string Scanner::found(size_t position) const {
  if (position >= text_.size()) return "the end of the line";
  size_t end = position;
  while (end < text_.size() && (continuesName(text_[end]) || (end == position && text_[end] == '-'))) ++end;
  return shown(text_.substr(position, std::max(end, position + 1) - position));
}

void Scanner::expected(std::string_view what) { expectedAt(position(), what); }

void Scanner::expectedAt(size_t position, std::string_view what) const { expectedAt(position, what, found(position)); }

void Scanner::expectedAt(size_t position, std::string_view what, std::string_view found) const {
  ir::fail(ir::ErrorKind::Input, "{}:{}:{}: expected {}, found {}", where_.file, where_.line, column_ + position, what, found);
}

}  // namespace inputs
