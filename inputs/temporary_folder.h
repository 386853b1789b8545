#pragma once

#include <filesystem>
#include <string_view>

namespace inputs {

/// A folder of a random name in the folder of temporary files, which is gone with all that is in it when this is.
class TemporaryFolder {
 public:
  /// `opbench-NAME-` and six letters. Error: Input where the system refuses.
  explicit TemporaryFolder(std::string_view name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace inputs
