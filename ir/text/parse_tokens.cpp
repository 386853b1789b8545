#include "ir/text/parse_tokens.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

#include "ir/error.h"

namespace ir {
namespace {

using Kind = Token::Kind;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWordPart(char c) { return isWordStart(c) || isDigit(c); }

/// Cuts a text into tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (position_ < text_.size()) step();
    endLine();
    push(Kind::End, 0);
    return std::move(tokens_);
  }

 private:
  char at(size_t ahead) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }

  void step() {
    const char c = at(0);
    if (c == '\n') return newLine();
    if (c == ' ') return skip(1);
    if (c == '/' && at(1) == '/') return skip(std::min(text_.find('\n', position_), text_.size()) - position_);
    if (isWordStart(c)) return push(Kind::Word, lengthWhile(isWordPart, 0));
    if (isDigit(c)) return push(Kind::Number, numberLength());
    if (c == '"') return push(Kind::String, stringLength());
    push(Kind::Symbol, symbolLength());
  }

  void newLine() {
    endLine();
    ++position_;
    ++line_;
    lineStart_ = position_;
  }
  void endLine() {
    if (!tokens_.empty() && tokens_.back().kind != Kind::LineEnd) push(Kind::LineEnd, 0);
  }
  void skip(size_t length) { position_ += length; }
  void push(Kind kind, size_t length) {
    tokens_.push_back(here(kind, length));
    position_ += length;
  }
  Token here(Kind kind, size_t length) const {
    return {kind, text_.substr(position_, length), line_, static_cast<int>(position_ - lineStart_) + 1};
  }

  template <typename Predicate>
  size_t lengthWhile(Predicate isPart, size_t from) const {
    while (position_ + from < text_.size() && isPart(text_[position_ + from])) ++from;
    return from;
  }
  size_t numberLength() const {
    size_t length = lengthWhile(isDigit, 0);
    if (at(length) == '.' && isDigit(at(length + 1))) length = lengthWhile(isDigit, length + 1);
    const size_t sign = at(length + 1) == '+' || at(length + 1) == '-' ? 1 : 0;
    const bool hasExponent = at(length) == 'e' && isDigit(at(length + 1 + sign));
    return hasExponent ? lengthWhile(isDigit, length + 1 + sign) : length;
  }
  size_t stringLength() const {
    size_t length = 1;
    while (position_ + length < text_.size() && at(length) != '"' && at(length) != '\n')
      length += at(length) == '\\' && at(length + 1) != '\n' ? 2 : 1;
    if (at(length) != '"') TokenReader::refuseAt(here(Kind::String, 1), "a closing quote", "the end of the line");
    return length + 1;
  }
  size_t symbolLength() const {
    for (const std::string_view pair : {"<<", ">>", "<=", "==", "!="})
      if (text_.substr(position_, 2) == pair) return 2;
    if (std::string_view("()[],.:=+-*/%<&|^@").find(at(0)) == std::string_view::npos || at(0) == '\0')
      TokenReader::refuseAt(here(Kind::Symbol, 1), "a word, a number or an operator", unreadable());
    return 1;
  }

  std::string unreadable() const {
    const char c = text_[position_];
    return c > 0x20 && c < 0x7F ? fmt::format("'{}'", c) : fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(c));
  }

  std::string_view text_;
  size_t position_ = 0;
  size_t lineStart_ = 0;
  int line_ = 1;
  std::vector<Token> tokens_;
};

std::string described(const Token& token) {
  if (token.kind == Kind::LineEnd) return "the end of the line";
  if (token.kind == Kind::End) return "the end of the text";
  constexpr size_t longest = 40;
  if (token.text.size() > longest) return fmt::format("'{}...'", token.text.substr(0, longest));
  return fmt::format("'{}'", token.text);
}

int hexDigit(char c) {
  if (isDigit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// -1 unless both are digits.
int hexByte(char high, char low) { return hexDigit(high) < 0 || hexDigit(low) < 0 ? -1 : hexDigit(high) * 16 + hexDigit(low); }

}  // namespace

TokenReader::TokenReader(std::string_view text) : tokens_(Lexer(text).run()) {}

void TokenReader::refuseAt(const Token& token, std::string_view expected) { refuseAt(token, expected, described(token)); }

void TokenReader::refuseAt(const Token& token, std::string_view expected, std::string_view found) {
  fail(ErrorKind::Input, "{}:{}: expected {}, found {}", token.line, token.column, expected, found);
}

const Token& TokenReader::peek(size_t ahead) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }

Token TokenReader::take() {
  const Token token = peek();
  next_ = std::min(next_ + 1, tokens_.size() - 1);
  return token;
}

bool TokenReader::at(std::string_view text, size_t ahead) const {
  const Token& token = peek(ahead);
  return (token.kind == Kind::Word || token.kind == Kind::Symbol) && token.text == text;
}

bool TokenReader::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

void TokenReader::expect(std::string_view text) {
  if (!accept(text)) refuse(fmt::format("'{}'", text));
}

void TokenReader::expectLineEnd() {
  if (take().kind != Kind::LineEnd) refuseAt(tokens_[next_ - 1], "the end of the line");
}

std::string TokenReader::word(std::string_view what) {
  if (!atWord()) refuse(what);
  return std::string(take().text);
}

int64_t TokenReader::integer(std::string_view what, int64_t least) {
  if (peek().kind != Kind::Number) refuse(what);
  const Token token = peek();
  const int64_t value = signedInteger();
  if (value < least) refuseAt(token, what);
  return value;
}

int TokenReader::integer(std::string_view what, int least, int most) {
  const Token token = peek();
  const int64_t value = integer(what, least);
  if (value > most) refuseAt(token, fmt::format("{} of at most {}", what, most));
  return static_cast<int>(value);
}

int64_t TokenReader::signedInteger() {
  const Token first = peek();
  std::string text(accept("-") ? "-" : "");
  if (peek().kind != Kind::Number) refuse("an integer");
  text += take().text;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    refuseAt(first, "an integer of 64 bits", fmt::format("'{}'", text));
  return value;
}

std::string TokenReader::quoted() {
  if (peek().kind != Kind::String) refuse("a quoted string");
  const Token token = take();
  const std::string_view inside = token.text.substr(1, token.text.size() - 2);
  std::string value;
  for (size_t i = 0; i < inside.size(); ++i) {
    const bool escaped = inside[i] == '\\';
    if (escaped) ++i;
    if (!escaped || inside[i] != 'x') {
      value += inside[i];
    } else {
      const int byte = i + 2 < inside.size() ? hexByte(inside[i + 1], inside[i + 2]) : -1;
      if (byte < 0) refuseAt(token, "two hexadecimal digits after \\x");
      value += static_cast<char>(byte);
      i += 2;
    }
  }
  return value;
}

std::vector<int64_t> TokenReader::integers(std::string_view open, std::string_view close, std::string_view what) {
  expect(open);
  std::vector<int64_t> values;
  while (!at(close)) {
    if (!values.empty()) expect(",");
    values.push_back(integer(what, 0));
  }
  expect(close);
  return values;
}

TensorType TokenReader::tensorType() {
  const std::optional<DType> dtype = dtypeFromName(peek().text);
  if (!dtype) refuse("a dtype");
  take();
  const Token sizes = peek();
  TensorType type{*dtype, integers("[", "]", "a size"), {}};
  const Token strides = peek();
  if (accept("strides")) {
    type.strides = integers("(", ")", "a stride");
    const size_t rank = type.sizes.size();
    if (type.strides.size() != rank) refuseAt(strides, fmt::format("{} strides", rank), fmt::format("{}", type.strides.size()));
    return type;
  }
  try {
    type.strides = contiguousStrides(type.sizes);
  } catch (const Error& error) {
    refuseAt(sizes, "sizes", error.what());
  }
  return type;
}

}  // namespace ir
