#include "runtime/tunings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ir/text.h"
#include "runtime/hash.h"

namespace runtime {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Holds a file locked against other processes as long as it lives; where that fails, writers may undo each other's entries.
class Lock {
 public:
  explicit Lock(const std::string& path) : file_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    if (file_ >= 0) ::flock(file_, LOCK_EX);
  }
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

/// The key and the tiling of a line; nothing where it is not one of ours.
std::optional<std::pair<std::string, Tuned>> parseLine(const std::string& line) {
  const Json entry = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!entry.is_object()) return std::nullopt;
  const Json key = entry.value("key", Json()), tiling = entry.value("tiling", Json()), gain = entry.value("gain", Json());
  if (!key.is_string() || !tiling.is_string() || !gain.is_number()) return std::nullopt;
  return std::pair(key.get<std::string>(), Tuned{tiling.get<std::string>(), gain.get<double>()});
}

}  // namespace

Tunings::Tunings(std::string folder) {
  if (folder.empty()) return;
  path_ = (fs::path(folder) / "tuning.jsonl").string();
  for (const auto& [key, line] : readLines()) found_[key] = parseLine(line)->second;
}

std::map<std::string, std::string> Tunings::readLines() {
  std::map<std::string, std::string> lines;
  std::ifstream file(path_, std::ios::binary);
  std::string line;
  int bad = 0;
  while (std::getline(file, line)) {
    if (const auto entry = parseLine(line))
      lines[entry->first] = line;
    else
      ++bad;
  }
  if (bad > 0) complaint_ = fmt::format("{}: {} damaged line{} ignored", path_, bad, bad == 1 ? "" : "s");
  return lines;
}

std::optional<Tuned> Tunings::find(const std::string& key) const {
  const auto entry = found_.find(key);
  return entry == found_.end() ? std::nullopt : std::optional(entry->second);
}

void Tunings::put(const std::string& key, const Tuned& tuned, const std::string& kernel, const std::string& device) {
  found_[key] = tuned;
  if (path_.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(path_).parent_path(), error);
  const Lock lock(path_ + ".lock");
  std::map<std::string, std::string> lines = readLines();
  const Json entry{{"kernel", kernel}, {"device", device}, {"tiling", tuned.tiling}, {"gain", tuned.gain}, {"key", key}};
  lines[key] = entry.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string aside = fmt::format("{}.{}", path_, ::getpid());
  std::ofstream file(aside, std::ios::binary);
  for (const auto& [name, line] : lines) file << line << "\n";
  file.close();
  if (file) fs::rename(aside, path_, error);
  fs::remove(aside, error);  // is there only if it could not be written or renamed
}

std::string tuningKey(const ir::Loops& loops, const ir::Target& target, const std::string& device,
                      const std::vector<lowering::Tiling>& candidates) {
  std::string text = fmt::format("{}\n{} {} {}\n{}", device, target.arch, target.features, target.processors, ir::toText(loops));
  for (const lowering::Tiling& tiling : candidates) text += toText(tiling) + "\n";
  return digest(text);
}

}  // namespace runtime
