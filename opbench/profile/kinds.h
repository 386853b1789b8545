#pragma once

#include <string_view>
#include <vector>

#include "opbench/profile/summary.h"

namespace opbench::profile {

/// The kind of a kernel, or of a call on a CPU, as its name tells: `convolutions`, `generated`. Where it tells none: `other`.
std::string_view kindOf(std::string_view name);

/// Seconds of all runs in the kernels or calls of one kind.
struct KindSpent {
  std::string_view kind;
  double seconds = 0;
};

/// The kinds that are there, the most first.
std::vector<KindSpent> byKind(const std::vector<Spent>& spent);

}  // namespace opbench::profile
