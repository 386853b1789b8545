#pragma once

#include <string_view>

#include "runtime/program/instruction.h"

namespace runtime {

/// A function of numbers, or of a tensor and numbers, and how many arguments it takes.
struct SizeFunction {
  Instruction::Function function;
  size_t arguments;
};

/// Python's arithmetic of sizes by its name in an archive, `_operator.floordiv` or `torch.sym_max`: of integers, doubles and
/// bools. Nothing for a name that is not known. Errors of the functions: Input, for a division by zero and for results that are
/// no 64-bit integer.
std::optional<SizeFunction> arithmeticOf(std::string_view target);

/// The size, stride, count of elements or offset of a tensor, by `aten.sym_size.int` and the like; nothing for other operators.
std::optional<SizeFunction> sizeOf(std::string_view op);

}  // namespace runtime
