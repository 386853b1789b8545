#pragma once

#include <string>
#include <vector>

#include "opbench/settings/networks.h"
#include "opbench/settings/profile.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// Adds the verb and its options. It profiles the models of its command `model`, or else samples, or `networks` where no sample
/// is named.
void declareProfile(CLI::App& app, ProfileOptions& options, RnnOptions& networks, ModelOptions& models, bool& tracesMemory);
/// Errors: Input, for what cannot be or contradicts itself.
void check(const ProfileOptions& options);

}  // namespace opbench
