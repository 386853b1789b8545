#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/descriptor.h"

namespace runtime {

/// Whose files the user of a folder believes.
enum class Trust {
  User,   ///< the user's own, in a folder that nobody else may write into
  Group,  ///< the files of all members of the folder's group, in a folder of mode 2770
};

/// A folder that nobody can write into whom the user does not trust. It is opened once: files are reached through the open
/// folder, so it does no harm if its name is given to another one later.
class TrustedFolder {
 public:
  /// What a file holds.
  struct Content {
    std::string bytes;
    int64_t modified = 0;  ///< nanoseconds since 1970
    mode_t mode = 0;
  };
  /// A file without what it holds.
  struct File {
    std::string name;
    int64_t bytes = 0;
    int64_t modified = 0;  ///< as Content::modified
  };

  /// The user's folder is made where it is missing; a group's must be there.
  /// Errors: Input, `it belongs to user 1001` and the like, for a folder that is not to be trusted.
  TrustedFolder(std::string path, Trust trust);

  const std::string& path() const { return path_; }
  Trust trust() const { return trust_; }

  /// Whether others may see what a user's folder holds; and closes it to them. Errors: Input, where that cannot be done.
  bool isOpenToOthers() const;
  void close() const;

  /// A regular file of at most `most` bytes that only those can write whose files are believed; nothing for anything else.
  std::optional<Content> read(const std::string& name, size_t most) const;
  /// Replaces a file as a whole, or an empty folder in its place. Returns whether the disk took it.
  bool write(const std::string& name, std::initializer_list<std::string_view> parts) const;
  /// Makes a file that is on the disk when this returns, unless there is one. Returns 0, or the error: EEXIST where there is one.
  int create(const std::string& name, std::string_view bytes) const;
  /// Has the file count as modified now. Returns whether it could.
  bool touch(const std::string& name) const;
  void remove(const std::string& name) const;
  /// The regular files, and the names of all that there is; in no order.
  std::vector<File> files() const;
  std::vector<std::string> names() const;
  /// Locks a file, which is made where it is missing, against other processes for as long as the descriptor lives. The
  /// descriptor is closed where the file cannot be locked within ten seconds.
  inputs::Descriptor lock(const std::string& name) const;

 private:
  class NewFile;

  void checkUsers();
  void checkGroups();
  bool isBelieved(const struct stat& status) const;

  std::string path_;
  Trust trust_;
  inputs::Descriptor folder_;
  gid_t group_ = 0;
};

/// Whether write() or create() gives this name to a file that is not whole yet. One that is old was left by a process that died.
bool isUnfinished(std::string_view name);

}  // namespace runtime
