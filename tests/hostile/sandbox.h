#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostile {

/// A folder in which nothing may change: the working folder, HOME and TMPDIR of those who enter it, and files that are there
/// already.
class Sandbox {
 public:
  Sandbox();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// Moves this process into it.
  void enter() const;
  /// Strings that would change something here if they were taken for paths, commands or formats.
  std::vector<std::string> strings() const;
  /// What has changed since it was made, as in `work/made.bin appeared`; nothing where all is as it was.
  std::optional<std::string> change() const;

 private:
  struct State {
    uintmax_t size = 0;
    std::filesystem::file_time_type written;
    bool operator==(const State&) const = default;
  };
  std::map<std::string, State> states() const;

  std::filesystem::path root_;
  std::map<std::string, State> before_;
};

}  // namespace hostile
