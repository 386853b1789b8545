#pragma once

#include <string>

namespace opbench {

/// The folder by which processes of a run hand on compiled code: the user's cache, or where the run keeps none, one of its own
/// that is gone when it ends.
class RunCache {
 public:
  /// Error: Toolchain, where a folder is needed and cannot be made.
  explicit RunCache(std::string usersFolder);
  ~RunCache();
  RunCache(const RunCache&) = delete;
  RunCache& operator=(const RunCache&) = delete;

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  bool isOurs_;
};

}  // namespace opbench
