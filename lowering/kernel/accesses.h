#pragma once

#include <map>
#include <set>

#include "ir/kernel.h"
#include "lowering/kernel/owners.h"

namespace lowering {

/// The memory that statements read and write, by buffer number, and which threads do; register arrays are none.
struct Accesses {
  std::map<int, Owners> reads;
  std::map<int, Owners> writes;
  std::set<int> copies;  ///< writes that hardware carries out by itself, as only the same thread reads them here

  bool operator==(const Accesses&) const = default;
  void add(const Accesses& more);
  /// The accesses to what a cluster's CTAs have in common: all but shared memory.
  Accesses betweenCtas(const ir::Kernel& kernel) const;
};

Accesses accessesOf(const ir::Kernel& kernel, const ir::Block& block);
/// The same of a loop over threads, each of which is known to have some elements of shared arrays for itself.
Accesses accessesOf(const ir::Kernel& kernel, const ir::For& threads);

/// What the threads of a CTA, or the CTAs of a cluster, have done since they last waited for each other. They have to wait
/// before what reads memory that was written, or overwrites memory that was read (of the kernel's own also: written).
class Unordered {
 public:
  explicit Unordered(const ir::Kernel& kernel) : kernel_(&kernel) {}

  bool operator==(const Unordered& other) const { return done_ == other.done_; }
  bool conflictsWith(const Accesses& next) const;
  /// Whether copies were started that nobody waited for.
  bool isCopying() const { return !done_.copies.empty(); }
  /// Whether what comes next touches their targets.
  bool isCopyingFor(const Accesses& next) const;
  /// They were waited for.
  void endCopies() { done_.copies.clear(); }
  void add(const Accesses& done) { done_.add(done); }
  void add(const Unordered& other) { done_.add(other.done_); }
  /// A barrier was passed.
  void clear() { done_ = {}; }

 private:
  const ir::Kernel* kernel_;
  Accesses done_;
};

}  // namespace lowering
