#pragma once

#include <string>

#include "opbench/show/lines.h"

namespace opbench::show {

enum class Comparison { Equal, Unequal, Less, AtMost, More, AtLeast };

/// A condition on a line: a field, a comparison, a value.
struct Filter {
  std::string field;
  Comparison comparison = Comparison::Equal;
  Value value;  ///< a number where the field is one; else a pattern, in which `*` and `?` stand for any characters

  /// An absent value is unequal to all, and in no other relation to any.
  bool holds(const Line& line) const;
};

/// Reads `speedup<1`, `op=aten._softmax*`. Errors: Input, for a text that is no condition, a field that no line has, and a value
/// that its field cannot be compared with.
Filter filterOf(const std::string& text, const Lines& lines);

}  // namespace opbench::show
