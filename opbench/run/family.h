#pragma once

#include <string_view>

#include "codegen/compile.h"

namespace opbench {

/// The family of a call's loops: `copy` (move, convert or set values), `pointwise`, `reduction` (results a row has once),
/// `normalization` (results for every element that need a reduction); `fallback` where there are none.
std::string_view familyOf(const codegen::Plan& plan);

}  // namespace opbench
