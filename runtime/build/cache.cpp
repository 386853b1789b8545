#include "runtime/build/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <vector>

#include "ir/error.h"
#include "runtime/build/cache_key.h"
#include "runtime/build/hash.h"
#include "runtime/build/trusted_folder.h"

namespace runtime {
namespace {

constexpr size_t mostEntryBytes = size_t{64} << 20;
constexpr int64_t hour = int64_t{3600} * 1'000'000'000, day = 24 * hour;
constexpr const char* sharedKeyName = ".key";

/// What an entry starts with; key and content follow it.
struct Header {
  std::array<char, 8> magic{'o', 'p', 'b', 'c', 'a', 'c', 'h', '2'};
  uint64_t keySize = 0;
  uint64_t contentSize = 0;
  Sum sum{};  ///< of the header, the entry's name, which is the key's digest, and the content
};

template <typename Value>
std::string_view bytesOf(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

Header headerOf(const Key& secret, const std::string& name, std::string_view key, std::string_view content) {
  Header header;
  header.keySize = key.size();
  header.contentSize = content.size();
  header.sum = keyedSum(secret, {bytesOf(header), name, content});
  return header;
}

int64_t now() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

/// Whether a name is an entry's: a digest.
bool isEntry(std::string_view name) {
  return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Closes a folder to others that an older version let them read; nothing but a cache lies in such a one.
void closeOld(const TrustedFolder& folder) {
  if (!folder.isOpenToOthers()) return;
  for (const std::string& name : folder.names())
    if (!isEntry(std::string_view(name).substr(0, name.find('.'))) && !isUnfinished(name) && !name.starts_with("tuning.jsonl"))
      ir::fail(ir::ErrorKind::Input, "others can read it, and it holds more than a cache ({}); use a separate folder", name);
  folder.close();
}

Key secretOf(const CacheSettings& settings, const TrustedFolder& folder) {
  if (!settings.isShared && settings.keyFile.empty())
    ir::fail(ir::ErrorKind::Input, "no place for its key; set XDG_STATE_HOME or HOME");
  const std::string path = settings.isShared ? folder.path() + "/" + sharedKeyName : settings.keyFile;
  try {
    return settings.isShared ? keyIn(folder, sharedKeyName) : keyOf(path);
  } catch (const ir::Error& error) {
    ir::fail(ir::ErrorKind::Input, "its key {}: {}", path, error.what());
  }
}

}  // namespace

struct Cache::State {
  explicit State(const CacheSettings& settings)
      : folder(settings.folder, settings.isShared ? Trust::Group : Trust::User),
        secret(secretOf(settings, folder)),
        mostBytes(settings.mostBytes) {
    closeOld(folder);
  }

  /// The entries, and files that were to become some.
  std::vector<TrustedFolder::File> entries() const {
    std::vector<TrustedFolder::File> files = folder.files();
    std::erase_if(files, [](const auto& file) { return !isEntry(file.name) && !isUnfinished(file.name); });
    return files;
  }

  /// Whether this process has written so much since it was asked last that the entries are to be counted.
  bool isFull(size_t more) {
    constexpr int64_t share = 8;
    const int64_t bytes = written += static_cast<int64_t>(more);
    if (mostBytes == 0 || bytes < mostBytes / share) return false;
    written = 0;
    return true;
  }

  const TrustedFolder folder;
  const Key secret;
  const int64_t mostBytes;
  std::atomic<int64_t> written{0};
};

Cache::Cache(const CacheSettings& settings) {
  if (settings.folder.empty()) return;
  try {
    state_ = std::make_shared<State>(settings);
  } catch (const ir::Error& error) {
    complaint_ = fmt::format("cache {} is not used: {}", settings.folder, error.what());
  }
}

std::optional<std::string> Cache::find(std::string_view key) const {
  if (!state_) return std::nullopt;
  const std::string name = digest(key);
  auto entry = state_->folder.read(name, mostEntryBytes);
  if (!entry || entry->bytes.size() < sizeof(Header) + key.size()) return std::nullopt;
  const std::string_view stored = entry->bytes;
  const std::string_view content = stored.substr(sizeof(Header) + key.size());
  const Header expected = headerOf(state_->secret, name, key, content);
  if (!stored.starts_with(bytesOf(expected)) || stored.substr(sizeof(Header), key.size()) != key) return std::nullopt;
  entry->bytes.erase(0, sizeof(Header) + key.size());
  // What another member of the group has made cannot be touched, but it can be replaced.
  if (entry->modified < now() - day && !state_->folder.touch(name)) put(key, entry->bytes);
  return std::move(entry->bytes);
}

void Cache::put(std::string_view key, std::string_view bytes) const {
  const size_t size = sizeof(Header) + key.size() + bytes.size();
  if (!state_ || size > mostEntryBytes) return;
  const std::string name = digest(key);
  const Header header = headerOf(state_->secret, name, key, bytes);
  if (state_->folder.write(name, {bytesOf(header), key, bytes}) && state_->isFull(size)) evict();
}

void Cache::evict() const {
  if (!state_) return;
  std::vector<TrustedFolder::File> entries = state_->entries();
  int64_t bytes = 0;
  for (const auto& entry : entries) bytes += entry.bytes;
  const auto remove = [&](const TrustedFolder::File& entry) {
    state_->folder.remove(entry.name);
    bytes -= entry.bytes;
  };
  const auto isAbandoned = [limit = now() - hour](const auto& entry) {
    return isUnfinished(entry.name) && entry.modified < limit;
  };
  for (const auto& entry : entries)
    if (isAbandoned(entry)) remove(entry);
  std::erase_if(entries, isAbandoned);
  const int64_t most = state_->mostBytes;
  if (most == 0 || bytes <= most) return;
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.modified < b.modified; });
  for (const auto& entry : entries)
    if (bytes > most / 4 * 3) remove(entry);
}

CacheUse Cache::use() const {
  CacheUse use;
  if (!state_) return use;
  for (const auto& entry : state_->entries()) {
    ++use.entries;
    use.bytes += entry.bytes;
  }
  return use;
}

const TrustedFolder& Cache::folder() const { return state_->folder; }

}  // namespace runtime
