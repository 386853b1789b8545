#pragma once

#include "opbench/settings/options.h"

namespace opbench {

/// Refuses to write a file that is read, or that two options name, whatever they call it: asked before anything is opened.
/// Errors: Input, `--csv and --junit both write FILE`, `--json would write FILE, which --inp-file reads`.
void checkOutputs(const Options& options);

}  // namespace opbench
