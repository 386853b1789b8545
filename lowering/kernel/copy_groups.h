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
  /// A block begins that is skipped unless this holds (nullptr: unless something else does not), or ends. What it has awaited is
  /// known afterwards only of copies that were skipped with it.
  void enterBranch(const ir::Expr* condition) { branches_.push_back({condition, awaited_}); }
  void leaveBranch();
  /// Whether each thread has awaited all that it has copied.
  bool areAwaited() const { return awaited_ == started_.size(); }
  /// Whether anything waits for groups of copies one by one.
  bool isGrouped() const { return isGrouped_; }

 private:
  const ir::Kernel* kernel_;
  std::set<int> copied_;
  struct Branch {
    const ir::Expr* condition = nullptr;
    std::size_t awaited = 0;  ///< before it
  };
  std::vector<std::set<const ir::Expr*>> started_;  ///< by statement that copies, the conditions around it
  std::size_t awaited_ = 0;                         ///< how many of them were awaited
  std::vector<Branch> branches_;                    ///< at hand
  bool isGrouped_ = false;
  std::vector<const ir::Expr*> loops_;    ///< axes of the serial loops at hand
  std::vector<const ir::Expr*> copying_;  ///< of those around the copies
  bool isOpen_ = false;                   ///< whether these have not ended yet
};

}  // namespace lowering
