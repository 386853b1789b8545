#pragma once

#include <map>
#include <optional>
#include <string>

#include "tests/hostile/log.h"
#include "tests/hostile/sandbox.h"

namespace hostile {

/// What became of the calls of the logs so far.
struct Tally {
  int64_t logs = 0, calls = 0, unread = 0, ran = 0, refused = 0, failed = 0, crashed = 0, hung = 0;
  std::map<std::string, int64_t> lost;  ///< by operator: its calls that crashed or hung
  bool isFiltered = true;               ///< whether the kernel watched all of them
};

/// Reads a log as opbench does, runs its calls in children, and those too that readers refuse. A child that crashes or hangs
/// costs the call at hand. Returns what a call did outside of its tensors, if any did.
std::optional<std::string> tryLog(const Log& log, const Sandbox& sandbox, Tally& tally);

/// What a child does on purpose and nobody notices: to make a file, or to print; nothing where all is noticed.
std::optional<std::string> unnoticed();

}  // namespace hostile
