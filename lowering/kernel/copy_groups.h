#pragma once

#include <set>
#include <vector>

#include "ir/kernel.h"

namespace lowering {

/// Asynchronous copies to shared memory that the threads of one loop start and read again themselves. What an iteration of the
/// serial loops around them starts is a group; later loops over the same axes wait, iteration by iteration, for one group each.
class CopyGroups {
 public:
  explicit CopyGroups(const ir::Kernel& kernel) : kernel_(&kernel) {}

  /// The body of one of the thread's serial loops begins, or ends.
  void enter(const ir::Expr* axis) { loops_.push_back(axis); }
  void leave();
  /// A copy to this buffer starts here.
  void add(int buffer);
  /// Whether a group ends with the serial loop's body that ends here.
  bool endsHere() const { return isOpen_ && !loops_.empty() && loops_ == copying_; }
  /// Whether a statement reads what was copied and not awaited, other than in serial loops inside it.
  bool isNeeded(const ir::Statement& statement) const;
  /// Waits for as many groups as are read here.
  ir::AwaitCopies await();
  /// How many copies are known to be awaited; what a block has awaited is not known after it, as it may have been skipped.
  int awaited() const { return awaited_; }
  void setAwaited(int copies) { awaited_ = copies; }

 private:
  const ir::Kernel* kernel_;
  std::set<int> copied_;
  int started_ = 0, awaited_ = 0;         ///< statements that copy; those of them that were awaited
  std::vector<const ir::Expr*> loops_;    ///< axes of the serial loops at hand
  std::vector<const ir::Expr*> copying_;  ///< of those around the copies
  bool isOpen_ = false;                   ///< whether these have not ended yet
};

}  // namespace lowering
