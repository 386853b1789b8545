#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.h"
#include "runtime/contenders/kernels/expression.h"

namespace runtime {

/// The type that an argument of a kernel has: `int(..)`, `float(..)`.
enum class ArgumentType { Bool, Int, Long, Float, Double };
/// The type of that name; nothing for any other word.
std::optional<ArgumentType> argumentTypeFromName(std::string_view word);
std::string_view name(ArgumentType type);
/// Bytes of a value of the type.
std::size_t sizeOf(ArgumentType type);

/// Why a function is not called so: there is none of that name, or it takes another number of operands. Empty where it is.
std::string whyNoApplication(const Expression& application);

/// What names in expressions stand for in one call.
class Names {
 public:
  virtual ~Names() = default;
  /// The type of the tensor of that name. Error: Unsupported where it is the name of none.
  virtual const ir::TensorType& tensor(const Expression& name) const = 0;
  /// The number of that name. Error: Unsupported where it is the name of none.
  virtual ir::Scalar number(const Expression& name) const = 0;
};

/// The number that an expression is. Error: Unsupported, with the place, where it is none in this call.
ir::Scalar evaluate(const Expression& expression, const Names& names);
/// Whether it is another number than 0.
bool isTrue(const ir::Scalar& number);
/// The whole number that it is. Error: Unsupported, also where it is a floating one.
int64_t evaluateWhole(const Expression& expression, const Names& names);
/// Refuses a call, on account of an expression. Error: Unsupported.
[[noreturn]] void refuse(const Expression& expression, const std::string& why);

}  // namespace runtime
