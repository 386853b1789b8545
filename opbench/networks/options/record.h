#pragma once

#include "opbench/settings/networks.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

/// Adds the verb and its options.
void declareRecord(CLI::App& app, RecordOptions& options);
/// Errors: Input, for what cannot be or contradicts itself.
void check(const RecordOptions& options);

}  // namespace opbench
