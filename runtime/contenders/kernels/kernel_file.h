#pragma once

#include <string>
#include <vector>

#include "runtime/contenders/kernels/expression.h"

namespace runtime {

/// How a kernel is launched, in expressions of the call's names.
struct LaunchRule {
  std::string kernel;  ///< the symbol
  Place place;
  std::vector<Expression> grid, block;  ///< 1 to 3 extents of each
  std::vector<Expression> shared;       ///< bytes of dynamic shared memory; none is 0
  std::vector<Expression> arguments;
};

/// A file of the user's that has CUDA kernels, with what computes a call by them.
struct KernelFile {
  std::string contender;  ///< its name in a race: `kernel::my_softmax`
  std::string path;
  std::string code;  ///< CUDA C++, or a cubin's bytes
  bool isCubin = false;
  std::vector<Expression> conditions;  ///< of the calls that it computes
  std::vector<Expression> scratch;     ///< bytes of memory that its kernels share: `s0`, `s1`
  std::vector<LaunchRule> launches;    ///< in order
};

}  // namespace runtime
