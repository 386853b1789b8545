#pragma once

#include <ostream>

namespace opbench {

/// The streams a run writes to, and what a terminal behind them can do.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;    ///< `out` is to have colours
  bool blocks = false;    ///< it has the characters of UTF-8
  bool progress = false;  ///< `err` is one
  int width = 100;        ///< columns of `err`
  int room = 0;           ///< columns of `out`; 0 is no limit
};

}  // namespace opbench
