#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor_type.h"

namespace ir {

/// A piece of the text forms; lines and columns count from 1.
struct Token {
  enum class Kind : uint8_t { Word, Number, String, Symbol, LineEnd, End };
  Kind kind = Kind::End;
  std::string_view text;  ///< as written, quotes included
  int line = 1;
  int column = 1;
};

/// Reads the tokens of a text one after another; blank lines and `//` comments are none. Every refusal is an Input error
/// `line:column: expected X, found Y`.
class TokenReader {
 public:
  explicit TokenReader(std::string_view text);

  const Token& peek(size_t ahead = 0) const;
  Token take();
  /// Whether the next token is this word or symbol.
  bool at(std::string_view text, size_t ahead = 0) const;
  bool atWord(size_t ahead = 0) const { return peek(ahead).kind == Token::Kind::Word; }
  bool atEnd() const { return peek().kind == Token::Kind::End; }
  /// Takes this word or symbol if it comes next.
  bool accept(std::string_view text);
  void expect(std::string_view text);
  void expectLineEnd();
  /// The next token, a word; `what` says what for.
  std::string word(std::string_view what);
  /// A whole number, of at least `least`.
  int64_t integer(std::string_view what, int64_t least);
  /// A whole number from `least` to `most`.
  int integer(std::string_view what, int least, int most);
  /// A number with a sign, of 64 bits.
  int64_t signedInteger();
  /// The characters of a quoted string.
  std::string quoted();
  /// A type as toText(TensorType) prints it.
  TensorType tensorType();

  /// Columns before the line that comes next; -1 at the end of the text.
  int indent() const { return atEnd() ? -1 : peek().column - 1; }
  [[noreturn]] void refuse(std::string_view expected) const { refuseAt(peek(), expected); }
  [[noreturn]] static void refuseAt(const Token& token, std::string_view expected);
  [[noreturn]] static void refuseAt(const Token& token, std::string_view expected, std::string_view found);

 private:
  std::vector<int64_t> integers(std::string_view open, std::string_view close, std::string_view what);
  std::vector<Token> tokens_;
  size_t next_ = 0;
};

}  // namespace ir
