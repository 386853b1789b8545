#pragma once

#include "opbench/settings/options.h"

namespace opbench {

/// The work of a worker process: races the samples that it is handed on the channel it was started with, until that ends.
void work(const Options& options);

}  // namespace opbench
