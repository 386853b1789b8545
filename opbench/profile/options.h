#pragma once

#include <string>
#include <vector>

#include "opbench/settings/networks.h"
#include "opbench/settings/profile.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// Adds the verb and its options; `networks` are what it profiles where no sample is named.
void declareProfile(CLI::App& app, ProfileOptions& options, RnnOptions& networks);
/// Errors: Input, for what cannot be or contradicts itself.
void check(const ProfileOptions& options);

}  // namespace opbench
