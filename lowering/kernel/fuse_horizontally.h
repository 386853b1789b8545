#pragma once

#include <optional>

#include "ir/kernel.h"

namespace lowering {

/// One kernel that does the work of two independent ones, whose statements it has, in one launch. Its first tasks, or clusters of
/// CTAs, are the ones of `first`, the others the ones of `second`. Nothing where that is not possible: CTAs of different sizes,
/// a persistent cluster, clusters in `second`, statements after a grid or task loop, functions of different accuracy
/// (agreeOnMath), or stores past the caches in one of them. Launch::resident of either is dropped: held to it, the part that did
/// not ask for it would spill registers.
std::optional<ir::Kernel> fuseHorizontally(const ir::Kernel& first, const ir::Kernel& second);

/// One CPU kernel that does the work of two independent ones: each task of `few` first carries out as many tasks of `many`, in
/// order, so that it finds in its cache what these have read, and stores beside what these have stored. Nothing where that is not
/// possible.
std::optional<ir::Kernel> inTasksOf(const ir::Kernel& few, const ir::Kernel& many);

}  // namespace lowering
