#pragma once

#include <vector>

#include "codegen/llvm/values/vec.h"

namespace codegen {

/// The columns of a square whose rows are vectors, of a power of two of lanes: a network of shuffles of two registers each.
std::vector<Vec> transposed(std::vector<Vec> rows);

}  // namespace codegen
