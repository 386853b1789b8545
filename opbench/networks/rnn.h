#pragma once

#include <cstdint>
#include <vector>

#include "inputs/sample.h"
#include "opbench/settings/networks.h"

namespace opbench {

/// The networks that the creators compute, as samples; `seed` draws the lengths of sequences. Errors: Input, for one that needs
/// more than `room` bytes of memory.
std::vector<inputs::Sample> samplesOf(const RnnOptions& options, uint64_t seed, double room);

}  // namespace opbench
