#pragma once

#include <string>
#include <vector>

#include "opbench/networks/rnn.h"
#include "opbench/profile/settings.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// The options of `opbench profile`.
struct ProfileOptions {
  ProfileSettings settings;
  std::vector<std::string> compared;  ///< two traces; empty where samples are profiled
  std::string tool;                   ///< ncu or nsys, which is to profile them instead; empty is none
  bool isWatched = false;             ///< whether such a tool watches this process
  bool isInternal = false;            ///< fastrnns' --internal-run, which is refused
};

/// Adds the verb and its options; `networks` are what it profiles where no sample is named.
void declareProfile(CLI::App& app, ProfileOptions& options, RnnOptions& networks);
/// Errors: Input, for what cannot be or contradicts itself.
void check(const ProfileOptions& options);

}  // namespace opbench
