#pragma once

#include <string>

#include "opbench/profile/summary.h"

namespace opbench::profile {

/// How tables are printed.
struct Look {
  int room = 0;  ///< the width of a line in characters; 0 is no limit
  bool colour = false;
};

/// The contenders of a trace, each with a table of its kernels or calls and, on a GPU, of its idle time.
std::string report(const Trace& trace, const Look& look);

/// What moved from one trace to another: kernels or calls by contender and name, the largest change of a run's time first.
std::string reportMoves(const Trace& before, const Trace& after, const Look& look);

}  // namespace opbench::profile
