#pragma once

#include <optional>

#include "ir/kernel.h"

namespace lowering {

/// One CUDA kernel that does the work of two, whose statements it has, in one launch: its first clusters are those of `first`,
/// and the CTAs of its others those of `second`. Nothing where that is not possible: CTAs of different sizes, clusters in
/// `second`, statements after a grid loop, or one of the two writing what the other one reads or writes.
std::optional<ir::Kernel> beside(const ir::Kernel& first, const ir::Kernel& second);

}  // namespace lowering
