#include "runtime/cache.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "runtime/hash.h"

namespace runtime {
namespace {

namespace fs = std::filesystem;

/// What an entry starts with; key and content follow it.
struct Header {
  std::array<char, 8> magic{'o', 'p', 'b', 'c', 'a', 'c', 'h', '1'};
  uint64_t keySize = 0;
  uint64_t contentSize = 0;
  Hash sum{};
};

Header headerOf(std::string_view key, std::string_view content) {
  Header header;
  header.keySize = key.size();
  header.contentSize = content.size();
  header.sum = hash(content, hash(key, {key.size(), content.size()}));
  return header;
}

fs::path pathOf(const std::string& folder, std::string_view key) { return fs::path(folder) / digest(key); }

std::optional<std::string> readFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  const std::streamoff size = file.tellg();
  if (size < 0) return std::nullopt;
  std::string bytes(static_cast<size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size)) return std::nullopt;
  return bytes;
}

/// Writes all parts to an open file and closes it.
bool writeAll(int file, std::initializer_list<std::string_view> parts) {
  bool isWritten = true;
  for (std::string_view part : parts)
    while (isWritten && !part.empty()) {
      const ssize_t count = ::write(file, part.data(), part.size());
      isWritten = count > 0;
      if (isWritten) part.remove_prefix(static_cast<size_t>(count));
    }
  return ::close(file) == 0 && isWritten;
}

std::string_view bytesOf(const Header& header) { return {reinterpret_cast<const char*>(&header), sizeof header}; }

}  // namespace

std::optional<std::string> Cache::find(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  std::optional<std::string> entry = readFile(pathOf(folder_, key));
  if (!entry || entry->size() < sizeof(Header) + key.size()) return std::nullopt;
  const std::string_view stored = *entry;
  const std::string_view content = stored.substr(sizeof(Header) + key.size());
  const Header expected = headerOf(key, content);
  if (stored.substr(0, sizeof(Header)) != bytesOf(expected) || stored.substr(sizeof(Header), key.size()) != key)
    return std::nullopt;
  entry->erase(0, sizeof(Header) + key.size());
  return entry;
}

void Cache::put(std::string_view key, std::string_view bytes) const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path path = pathOf(folder_, key);
  std::string aside = path.string() + ".XXXXXX";
  const int file = ::mkstemp(aside.data());
  if (file < 0) return;
  const Header header = headerOf(key, bytes);
  if (writeAll(file, {bytesOf(header), key, bytes})) fs::rename(aside, path, error);
  fs::remove(aside, error);  // is there only if it could not be renamed
}

}  // namespace runtime
