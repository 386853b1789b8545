#pragma once

#include <string>
#include <vector>

namespace opbench {

/// The options of `opbench compare`.
struct CompareOptions {
  std::vector<std::string> base, candidate;  ///< files of results, one for each run of the program
  std::string markdown, junit, html;         ///< files to write; empty is none
  std::string failOn = "slow,wrong,crash,impossible";
  bool force = false;  ///< compare files that are not comparable
  bool all = false;    ///< list every sample
};

}  // namespace opbench
