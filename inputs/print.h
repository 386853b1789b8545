#pragma once

#include <string>

#include "ir/argument.h"

namespace inputs {

/// An argument in the recorded format, as Python's `repr` spells it; tensors are `T([2, 3], f16, stride=(1, 2))`.
std::string argumentText(const ir::Argument& argument);

}  // namespace inputs
