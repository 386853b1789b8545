#pragma once

#include <optional>
#include <unordered_set>

#include "ir/index/range.h"
#include "ir/kernel.h"

namespace ir {

/// An index that 32 bits may not hold, and its bounds.
struct WideIndex {
  const Expr* index = nullptr;
  Range bounds;
};

/// The I64 values that a kernel loads as indices of elements: those which arithmetic leads from to the offset of an access. What
/// an offset merely depends on by a comparison is a value with all of its bits.
class LoadedIndices {
 public:
  explicit LoadedIndices(const Kernel& kernel);

  /// Whether a comparison of I64 is one of indices: all that its operands are computed from by I64 arithmetic are axes, constants
  /// and loaded indices.
  bool areCompared(const Expr* comparison) const;

 private:
  std::unordered_set<const Expr*> loads_;
};

/// The first such index of a kernel: loop variables, conditions, offsets and what they are made of, bounded under the conditions
/// around them. Nothing where Kernel::index32 may be set.
std::optional<WideIndex> findWideIndex(const Kernel& kernel);

}  // namespace ir
