#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inputs/text/source.h"

namespace inputs {

/// A number as Python's `repr` spells it: an integer, a float, or the imaginary part of a complex one.
struct Number {
  enum class Kind { Integer, Float, Imaginary };
  Kind kind = Kind::Integer;
  int64_t integer = 0;
  double value = 0;  ///< the number as a double, of whichever kind it is
};

/// Text of a file as an error shows it: in quotes, other than printable ASCII as `\x1f`, cut when it is long.
std::string shown(std::string_view text);

/// A cursor over one line of recorded text that knows where it stands, so that every error says
/// `file:line:column: expected X, found Y`.
class Scanner {
 public:
  /// `column` is where `text` starts in its line, from 1.
  Scanner(std::string_view text, const Source& where, int column) : text_(text), where_(where), column_(column) {}

  /// The next character after blanks, or 0 at the end.
  char peek();
  /// The identifier that starts here, dots included (`torch.float16`), or nothing; it is not consumed.
  std::string_view peekName();
  /// Consumes `token` if it comes next.
  bool accept(char token);
  void expect(char token);
  /// Consumes what peekName() returned.
  std::string_view takeName();
  /// A signed decimal number, `inf` and `nan` included.
  Number number();
  /// A quoted string with Python's single-character escapes and `\xNN` below 0x80.
  std::string quoted();
  /// Nothing but a comment follows.
  void expectEnd();

  /// Offset of the next token, for errors that are found after it was read.
  size_t position();
  /// The text between two positions, without blanks at its end.
  std::string_view between(size_t from, size_t to) const;
  [[noreturn]] void expected(std::string_view what);
  [[noreturn]] void expectedAt(size_t position, std::string_view what) const;
  /// The same, where what was found is known better than by its place; `found` is shown as it is.
  [[noreturn]] void expectedAt(size_t position, std::string_view what, std::string_view found) const;

 private:
  std::string found(size_t position) const;
  Number unsignedNumber();
  char escape();

  std::string_view text_;
  const Source& where_;
  int column_;
  size_t at_ = 0;
};

}  // namespace inputs
