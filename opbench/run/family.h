#pragma once

#include <string_view>

#include "codegen/compile.h"

namespace opbench {

/// What a call's loops do: `copy` (move, convert or set values), `pointwise`, `reduction` (results a row has once),
/// `normalization` (results for every element that need a reduction); `extern` where there are none.
std::string_view familyOf(const codegen::Plan& plan);

}  // namespace opbench
