#pragma once

#include <optional>
#include <string>

#include "codegen/compile.h"

namespace opbench {

/// The outcome of compiling a sample's graph with Inductor ahead of its race.
struct InductorCompilation {
  double ms = 0;        ///< wall time
  bool cached = false;  ///< whether it was in the cache before
  std::string failure;  ///< why there is no code; empty where there is
  int onGpu = 0;        ///< processes that compute on the GPU from now on, also while they wait: who compiled, and its Python
};

/// The outcome of compiling a sample's kernels ahead of its race.
struct Compilation {
  double ms = 0;        ///< wall time of compiling them, one after another
  bool cached = false;  ///< whether all were in the cache before
  std::string kernels;  ///< kernelsOf() their plan
  std::string failure;  ///< why it was not done: how the process ended that was to do it, or what it did not know
  std::optional<InductorCompilation> inductor{};  ///< nothing where that was not done
};

/// A name for the programs of a plan: the same for equal ones, of whatever sample.
std::string kernelsOf(const codegen::Plan& plan);

}  // namespace opbench
