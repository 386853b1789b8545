#pragma once

#include <string>

namespace inputs {

/// Where a piece of text stands.
struct Source {
  std::string file;
  int line = 0;  ///< from 1
};

}  // namespace inputs
