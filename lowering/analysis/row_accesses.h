#pragma once

#include <optional>
#include <vector>

#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"

namespace lowering {

/// Whether an access moves from row to row and runs along the innermost dim.
bool runsAlongRow(const IterationDomain& domain, const Access& access);
/// Whether it does so without a mask: vectors are made for such accesses.
bool isRowAccess(const IterationDomain& domain, const Access& access);
/// Such loads and stores of elements.
std::vector<const Access*> rowAccesses(const ReductionNest& nest, const IterationDomain& domain);

/// Whether an access moves from row to row and from element to element, by its indices alone: such accesses are staged. What is
/// gathered is read where it lies.
bool isStaged(const IterationDomain& domain, const Access& access);

/// Elements that runs may start after a multiple of `lanes`, the same for all row accesses; nothing where they differ, or where
/// there are none: then no aligned vectors cover the runs of all.
std::optional<int64_t> largestShift(const ReductionNest& nest, const IterationDomain& domain, int lanes);

}  // namespace lowering
