#pragma once

#include <string>
#include <vector>

namespace opbench {

/// The options of `opbench compare`.
struct CompareOptions {
  std::vector<std::string> base, candidate;  ///< files of results, one for each run of the program
  std::vector<std::string> programs;         ///< the baseline and the candidate, which are run; none where there are files
  int repeats = 5;                           ///< runs of each program
  std::string keep;                          ///< the folder of their results; empty is one that goes with the comparison
  std::vector<std::string> race;             ///< the options that each program is run with
  std::string markdown, junit, html;         ///< files to write; empty is none
  std::string failOn = "slow,wrong,crash,impossible";
  bool force = false;  ///< compare files that are not comparable
  bool all = false;    ///< list every sample
};

}  // namespace opbench
