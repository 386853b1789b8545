#pragma once

#include <optional>

#include "ir/kernel.h"

namespace lowering {

/// One CUDA kernel that does the work of two independent ones, whose statements it has, in one launch: its first clusters are
/// those of `first`, and the CTAs of its others those of `second`. Nothing where that is not possible: CTAs of different sizes, a
/// persistent cluster, clusters in `second`, statements after a grid loop, or functions of different accuracy (agreeOnMath).
/// Launch::resident of either is dropped: held to it, the part that did not ask for it would spill registers.
std::optional<ir::Kernel> fuseHorizontally(const ir::Kernel& first, const ir::Kernel& second);

/// One CPU kernel that does the work of two independent ones: each task of `split`, whose partial results statements after the
/// tasks combine, first carries out as many tasks of `many`, in order, so that it finds in its cache what these have read.
/// Nothing where that is not possible.
std::optional<ir::Kernel> inTasksOf(const ir::Kernel& split, const ir::Kernel& many);

}  // namespace lowering
