#pragma once

#include <cstdint>
#include <vector>

#include "ir/expr.h"

namespace lowering {

/// Which thread of a CTA touches each element of a shared array, as far as that is known.
class Owners {
 public:
  Owners() = default;  ///< any thread may touch any element

  /// Of accesses at an offset, and with `lanes` as many elements from there on, for all values of the axes, one of which numbers
  /// the threads, where all conditions hold.
  static Owners of(const ir::Expr* offset, int64_t lanes, const std::vector<const ir::Expr*>& conditions, const ir::Expr* thread,
                   int64_t elements);

  bool operator==(const Owners&) const = default;
  void add(const Owners& more);
  /// Whether one thread may touch what another one has.
  bool meet(const Owners& other) const;

 private:
  static constexpr int16_t nobody = -1, several = -2;
  void touch(int64_t element, int64_t thread);

  std::vector<int16_t> threads_;  ///< by element; none: it may be any
};

}  // namespace lowering
