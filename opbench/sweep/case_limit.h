#pragma once

#include <string>

#include "opbench/results/row.h"

namespace opbench {

/// Counts the cases of wrong results that a run has written, wherever it did, and how many it may write yet.
class CaseLimit {
 public:
  /// At most so many; 0 is no limit.
  explicit CaseLimit(int most) : most_(most) {}

  void add(const Row& row);
  /// How many may be written yet; the largest number there is where there is no limit.
  int left() const;
  /// The complaint at the end that not all cases were written; or nothing.
  std::string complaint() const;

 private:
  const int most_;
  int written_ = 0;
  int beyond_ = 0;  ///< wrong results that have no case because the limit was reached
};

}  // namespace opbench
