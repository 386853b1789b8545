#pragma once

#include <cstdint>
#include <optional>

#include "ir/loops.h"

namespace lowering {

/// How many points loops have.
int64_t pointsOf(const ir::Loops& loops);

/// Loops that do the same to each element, of tensors of one size whose elements lie in one order, as loops over `elements`
/// elements in the place of these; tensors of one element may be read beside them. Nothing where they do anything else. What is
/// left says nothing of sizes: loops that differ in these alone have equal texts.
std::optional<ir::Loops> flattened(const ir::Loops& loops, int64_t elements);

}  // namespace lowering
