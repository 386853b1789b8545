#pragma once

#include <string>
#include <string_view>

#include "ir/argument.h"

namespace inputs {

/// An argument in the recorded format, as Python's `repr` spells it; tensors are `T([2, 3], f16, stride=(1, 2))`, and
/// `T([2], f16, values=[0.5, inf])` where the sample says what is in them.
std::string argumentText(const ir::Argument& argument);

/// Text as comment lines of a file of samples, the last without its line break. Each line of the text is one of them; other
/// control characters are shown as `?`.
std::string commentText(std::string_view text);

}  // namespace inputs
