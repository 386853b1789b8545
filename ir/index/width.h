#pragma once

#include <optional>

#include "ir/index/range.h"
#include "ir/kernel.h"

namespace ir {

/// An index that 32 bits may not hold, and its bounds.
struct WideIndex {
  const Expr* index = nullptr;
  Range bounds;
};

/// The first such index of a kernel: loop variables, conditions, offsets and what they are made of, bounded under the conditions
/// around them. Nothing where Kernel::index32 may be set.
std::optional<WideIndex> findWideIndex(const Kernel& kernel);

}  // namespace ir
