#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/interpret/machine.h"

namespace ir {

/// Carries Combines out.
class Combiner {
 public:
  Combiner(const Kernel& kernel, Machine& machine) : kernel_(kernel), machine_(machine) {}

  void run(const Combine& combine);
  bool hasStarted = false;  ///< whether a CTA knows that all of its cluster have started

 private:
  using Threads = std::span<const Position>;
  using Result = std::optional<Scalar>;

  /// The threads that combine what they hold, in order.
  struct Group {
    int number = 0;  ///< in its CTA
    std::vector<Position> threads;
  };

  bool isOfPersistentCluster(const Combine& combine) const { return kernel_.launch.isPersistent && combine.ctas > 1; }
  std::vector<Group> groupsOf(const Combine& combine) const;
  /// Where a partial result lies in its array.
  int64_t placeOf(const Combine& combine, const Combine::Item& item, const Group& group, int64_t element, int64_t partial) const;
  LocalArray& array(int buffer);
  Result combined(const Combine::Item& item, const Result& a, const Result& b) const;
  Result whole(const Combine::Item& item, Threads threads, int64_t element);
  void give(const Combine& combine, const Combine::Item& item, const Group& group, int64_t element);
  void take(const Combine& combine, const Combine::Item& item, const Group& group, int64_t element);

  const Kernel& kernel_;
  Machine& machine_;
};

}  // namespace ir
