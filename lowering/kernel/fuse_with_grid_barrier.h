#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"

namespace lowering {

/// One CUDA kernel that does the work of two, one after the other: once all CTAs of `first` are done, they do what the CTAs
/// of `second` would. Both have CTAs of one size and no clusters, and `second` one grid loop. `intermediates` names what `first`
/// leaves for `second`, whose parameters they are: global arrays of `first`, or parameters of it, which become such arrays.
ir::Kernel fuseWithGridBarrier(const ir::Kernel& first, const ir::Kernel& second, const std::vector<std::string>& intermediates);

}  // namespace lowering
