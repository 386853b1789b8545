#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace runtime {

class TrustedFolder;

/// Where compiled code is kept, and who is trusted with it.
struct CacheSettings {
  std::string folder;                    ///< empty keeps nothing
  std::string keyFile;                   ///< of the user's secret, by which entries are believed; empty where there is none
  bool isShared = false;                 ///< whether the members of the folder's group trust each other; their secret is in it
  int64_t mostBytes = int64_t{4} << 30;  ///< of all entries; 0 is no limit
  bool operator==(const CacheSettings&) const = default;
};

/// What a cache holds.
struct CacheUse {
  int64_t entries = 0, bytes = 0;
};

/// An on-disk store of compiled code and of measurements, shared by concurrent processes. Entries are replaced as a whole and
/// carry a sum that only holders of the key can make: any other entry reads as missing. Copies are of one store.
class Cache {
 public:
  /// Keeps nothing.
  Cache() = default;
  /// Opens the folder. One that is not to be trusted, or has no key, is not used: complaint() says why, and nothing is kept.
  explicit Cache(const CacheSettings& settings);

  /// The bytes stored under exactly this key, or nothing.
  std::optional<std::string> find(std::string_view key) const;
  /// Stores `bytes`; a disk that refuses costs the entry, not the run.
  void put(std::string_view key, std::string_view bytes) const;
  /// Removes the entries that were used least recently where all exceed the limit, until three quarters of it are left; and what
  /// processes left that died as they wrote. put() does so each time a process has written an eighth of the limit.
  void evict() const;

  /// Whether anything is kept.
  bool isOpen() const { return state_ != nullptr; }
  CacheUse use() const;
  /// `cache FOLDER is not used: WHY`; empty where it is used, or none is wanted.
  const std::string& complaint() const { return complaint_; }
  /// The folder that is open; only where isOpen().
  const TrustedFolder& folder() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::string complaint_;
};

}  // namespace runtime
