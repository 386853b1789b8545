#pragma once

#include <vector>

#include "ir/loops.h"

namespace lowering {

/// Which parts of one call (loops, or kernels) have to run before others: the later of two parts that know one value depends on
/// the earlier one, if either writes it. Parts that become one are merged in the graph; their numbers stay as they are.
class DependenceGraph {
 public:
  /// `parts` are the buffers of each part, in an order in which the parts can run.
  explicit DependenceGraph(const std::vector<std::vector<ir::Buffer>>& parts);

  /// The parts in an order in which they can run. Where several can be next, the lowest number is.
  std::vector<std::size_t> order() const;
  /// Whether a path of dependences leads from one part to another, so that it has to run first.
  bool leads(std::size_t from, std::size_t to) const { return leads_[from][to]; }
  bool areIndependent(std::size_t a, std::size_t b) const { return !leads(a, b) && !leads(b, a); }
  /// Whether two parts can run as one: no path leads from one to the other through a third part, which would have to run both
  /// after and before them.
  bool canMerge(std::size_t a, std::size_t b) const;
  /// Makes `b` a part of `a`; canMerge(a, b).
  void merge(std::size_t a, std::size_t b);

 private:
  std::vector<std::vector<bool>> leads_;  ///< from a part, to a part; of merged parts nothing
  std::vector<bool> isMerged_;            ///< into another one
};

}  // namespace lowering
