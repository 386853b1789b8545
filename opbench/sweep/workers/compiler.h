#pragma once

#include "opbench/settings/options.h"

namespace opbench {

/// The work of a compiler process: reads the target on the channel it was started with, then samples, and compiles the kernels of
/// each into the cache, until that ends. It opens no device.
void precompile(const Options& options);

}  // namespace opbench
