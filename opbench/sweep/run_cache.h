#pragma once

#include <string>
#include <vector>

#include "inputs/descriptor.h"
#include "runtime/build/cache.h"

namespace opbench {

/// The cache by which processes of a run hand on compiled code: the user's, or a folder of the run's own that is gone when it
/// ends. A folder of a run that was killed goes when the next run starts.
class RunCache {
 public:
  /// Looks at the user's cache and has it keep to its limit. The run has a folder of its own only where it `needsOne` and the
  /// user's keeps nothing.
  RunCache(const runtime::CacheSettings& users, bool needsOne);
  ~RunCache();
  RunCache(const RunCache&) = delete;
  RunCache& operator=(const RunCache&) = delete;

  /// The cache that processes of the run open; no folder where they keep nothing.
  const runtime::CacheSettings& settings() const { return settings_; }
  /// Why a folder is not used, a line each.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  void makeFolder();

  runtime::CacheSettings settings_;
  std::vector<std::string> complaints_;
  std::string ours_;         ///< the run's own folder; empty where it has none
  inputs::Descriptor lock_;  ///< of a file in it, for as long as the run lives
};

}  // namespace opbench
