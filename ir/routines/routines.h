#pragma once

#include <cmath>
#include <cstdint>

namespace ir {

using f64 = double;
using i64 = std::int64_t;

#include "ir/routines/polynomials.inc"

#include "ir/routines/gamma.inc"

}  // namespace ir
