#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opbench/settings/show.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// Adds the verb and its options.
void declareShow(CLI::App& app, ShowOptions& options);

/// Errors: Input, for values that cannot be meant.
void check(const ShowOptions& options);

}  // namespace opbench
