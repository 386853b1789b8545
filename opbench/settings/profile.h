#pragma once

#include <string>
#include <vector>

#include "opbench/settings/profile_settings.h"

namespace opbench {

/// The options of `opbench profile`.
struct ProfileOptions {
  ProfileSettings settings;
  std::vector<std::string> compared;  ///< two traces; empty where samples are profiled
  std::string tool;                   ///< ncu or nsys, which is to profile them instead; empty is none
  bool isWatched = false;             ///< whether such a tool watches this process
  bool isInternal = false;            ///< fastrnns' --internal-run, which is refused
};

}  // namespace opbench
