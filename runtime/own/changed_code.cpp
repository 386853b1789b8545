#include "runtime/own/changed_code.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace runtime {
namespace {

/// The pages of a file's code that are mapped. The kernel gives the process a page of its own for one that it writes.
struct CodePages {
  uint64_t mapped = 0;   ///< kB, from the file or written
  uint64_t written = 0;  ///< kB
};
using CodeOfFiles = std::map<std::string, CodePages>;

/// The code of all files that code is mapped from, as /proc/self/smaps has it.
CodeOfFiles readCode() {
  CodeOfFiles files;
  CodePages* pages = nullptr;  // of the mapping that is read
  std::ifstream smaps("/proc/self/smaps");
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream words(line);
    std::string first, second, skipped, path;
    words >> first >> second;
    if (!first.ends_with(':')) {  // `7fa880c44000-7fa880d9a000 r-xp 00026000 fe:00 332835  /usr/lib/libc.so.6`
      for (int i = 0; i < 3; ++i) words >> skipped;
      std::getline(words >> std::ws, path);
      pages = second.find('x') != std::string::npos && path.starts_with('/') ? &files[path] : nullptr;
    } else if (pages != nullptr && first == "Size:") {
      pages->mapped += std::stoull(second);
    } else if (pages != nullptr && first == "Anonymous:") {
      pages->written += std::stoull(second);
    }
  }
  return files;
}

std::optional<CodeOfFiles>& remembered() {
  static std::optional<CodeOfFiles> files;
  return files;
}

}  // namespace

void rememberCode() {
  if (!remembered()) remembered() = readCode();
}

std::string changedCode() {
  if (!remembered()) return "";
  const CodeOfFiles now = readCode();
  for (const auto& [path, before] : *remembered()) {
    const auto found = now.find(path);
    if (found != now.end() && (found->second.written > before.written || found->second.mapped < before.mapped))
      return fmt::format("the code of {} was changed in memory", std::filesystem::path(path).filename().string());
  }
  return "";
}

}  // namespace runtime
