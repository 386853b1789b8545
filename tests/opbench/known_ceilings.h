#pragma once

#include "runtime/build/cache.h"

namespace tests {

/// Puts ceilings into a cache that no small sample reaches on one thread of a CPU. Runs with that cache need not measure this
/// machine's, nor its A/A noise, nor its times of copies: that takes longer than all else that they do, and is done once more by
/// each process as long as the machine is busy.
void putCeilings(const runtime::CacheSettings& settings);

}  // namespace tests
