#pragma once

#include <optional>

#include "inputs/archive/exported.h"

namespace inputs {

/// What the integers of a value must be below: the rows of the embedding that they index, or an extent that `gather`, `index` and
/// the like look them up in. The value is followed through views, copies and casts; the least bound counts. Nothing where no node
/// says so.
std::optional<int64_t> indexBound(const ExportedProgram& program, int value);

}  // namespace inputs
