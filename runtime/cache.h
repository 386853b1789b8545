#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace runtime {

/// An on-disk store of compiled code, shared by concurrent processes: entries are written aside and renamed, carry a
/// checksum of key and content, and a damaged or foreign entry reads as missing.
class Cache {
 public:
  /// Entries live below `folder`, made when first written to; an empty path keeps nothing.
  explicit Cache(std::string folder) : folder_(std::move(folder)) {}

  /// The bytes stored under exactly this key, or nothing.
  std::optional<std::string> find(std::string_view key) const;
  /// Stores `bytes`; a disk that refuses costs the entry, not the run.
  void put(std::string_view key, std::string_view bytes) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

}  // namespace runtime
