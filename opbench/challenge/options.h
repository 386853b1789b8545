#pragma once

#include "opbench/settings/challenge.h"

namespace CLI {
class App;
}

namespace opbench {

void declareChallenge(CLI::App& app, ChallengeOptions& options);
/// Error: Input, for options that exclude each other.
void check(const ChallengeOptions& options);

}  // namespace opbench
