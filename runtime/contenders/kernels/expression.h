#pragma once

#include <string>
#include <vector>

#include "ir/scalar.h"
#include "runtime/contenders/kernels/place.h"

namespace runtime {

/// `numel(self) / size(self, -1)`: a number, a name, or a function of other expressions. Operators are functions: `*`.
struct Expression {
  enum class Kind { Number, Name, Apply };
  Kind kind = Kind::Number;
  ir::Scalar number;                 ///< of a Number
  std::string word;                  ///< of a Name, `self` or `tensors[0]`; of an Apply: `size`, `*`
  std::vector<Expression> operands;  ///< of an Apply
  Place place;
  std::string text;  ///< as it stands in the file
};

/// Whether the outermost function of expressions may be the type of a kernel's argument: `int(size(self, -1))`.
enum class Typed { No, Yes };

/// Expressions with commas between them; none in an empty text. Error: Input, with the place, for what is no expression.
std::vector<Expression> parseExpressions(const PlacedText& text, Typed typed = Typed::No);

}  // namespace runtime
