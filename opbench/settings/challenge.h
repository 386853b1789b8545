#pragma once

#include <string>

namespace opbench {

/// The options of `opbench challenge`.
struct ChallengeOptions {
  std::string what;    ///< a sample or a region to make a challenge of, or the folder of one that is judged
  std::string folder;  ///< the folder to write; empty where one is judged
  std::string judged;  ///< the folder whose solutions are judged, where `what` is the sample; empty where it is that folder's own
};

}  // namespace opbench
