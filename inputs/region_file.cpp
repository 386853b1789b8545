#include "inputs/region_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>

#include "inputs/files.h"
#include "inputs/sample.h"
#include "ir/error.h"

namespace inputs {
namespace {

namespace fs = std::filesystem;

using ir::ErrorKind;
using ir::fail;

constexpr std::string_view mark = "#: ", countMark = "\ncnt: ";

bool isSame(const RegionUse& a, const RegionUse& b) { return std::tie(a.network, a.sample) == std::tie(b.network, b.sample); }

RegionUse useOf(std::string_view line, const std::string& file) {
  const std::string_view said = line.substr(mark.size());
  RegionUse use;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), use.count);
  const std::string_view rest = said.substr(static_cast<size_t>(end - said.data()));
  const size_t space = rest.find(' ', 1);
  const bool isRight = error == std::errc() && use.count >= 1 && use.count <= largestCount && rest.starts_with(' ') &&
                       space != std::string_view::npos && space + 1 < rest.size();
  if (!isRight) fail(ErrorKind::Input, "{}: a line '#:' must be '#: COUNT NETWORK SAMPLE', got '{}'", file, line);
  use.network = rest.substr(1, space - 1);
  use.sample = rest.substr(space + 1);
  return use;
}

/// The files of samples in a folder, sorted.
std::vector<fs::path> filesIn(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

RegionFile readRegion(const fs::path& path, const std::string& why) {
  RegionFile region = regionFileOf(readFile(path.string()), path.string());
  if (region.uses.empty()) fail(ErrorKind::Input, "{}: {} has no line '#: COUNT NETWORK SAMPLE'", why, path.string());
  return region;
}

/// Adds uses; each replaces an earlier one by the same network.
void add(const std::vector<RegionUse>& uses, RegionFile& region) {
  for (const RegionUse& use : uses) {
    std::erase_if(region.uses, [&](const RegionUse& other) { return isSame(use, other); });
    region.uses.push_back(use);
  }
  std::sort(region.uses.begin(), region.uses.end(),
            [](const RegionUse& a, const RegionUse& b) { return std::tie(a.network, a.sample) < std::tie(b.network, b.sample); });
}

}  // namespace

RegionFile regionFileOf(std::string_view text, const std::string& file) {
  RegionFile region;
  while (text.starts_with(mark)) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    region.uses.push_back(useOf(text.substr(0, end), file));
    text.remove_prefix(end + 1);
  }
  region.text = text;
  return region;
}

std::string toText(const RegionFile& region) {
  std::string text;
  int64_t count = 0;
  for (const RegionUse& use : region.uses) {
    text += fmt::format("{}{} {} {}\n", mark, use.count, use.network, use.sample);
    count += use.count;
  }
  const size_t place = region.text.find(countMark), end = region.text.find(',', place);
  if (place == std::string::npos || end == std::string::npos) return text + region.text;
  return text + region.text.substr(0, place) + fmt::format("{}{}", countMark, count) + region.text.substr(end);
}

void writeRegions(const std::map<std::string, std::string>& files, const std::string& folder) {
  makeFolder(folder);
  const Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ::flock(lock.number(), LOCK_EX);  // others may record to it as well
  std::map<std::string, RegionFile> recorded;
  std::vector<RegionUse> networks;
  for (const auto& [name, text] : files) {
    const RegionFile& region = recorded[name] = regionFileOf(text, name);
    networks.insert(networks.end(), region.uses.begin(), region.uses.end());
  }
  const auto isRecordedAnew = [&](const RegionUse& use) {
    return std::any_of(networks.begin(), networks.end(), [&](const RegionUse& network) { return isSame(use, network); });
  };
  for (const fs::path& path : filesIn(folder)) {
    RegionFile before = readRegion(path, fmt::format("--regions {}", folder));
    const bool isChanged = std::erase_if(before.uses, isRecordedAnew) > 0;
    if (const auto again = recorded.find(path.stem().string()); again != recorded.end())
      add(before.uses, again->second);
    else if (before.uses.empty())
      fs::remove(path);
    else if (isChanged)
      writeFile(path.string(), toText(before));
  }
  for (const auto& [name, region] : recorded) writeFile((fs::path(folder) / (name + ".txt")).string(), toText(region));
}

std::map<std::string, std::vector<RegionUse>> regionUses(const std::string& folder) {
  std::map<std::string, std::vector<RegionUse>> uses;
  for (const fs::path& path : filesIn(folder)) uses[path.stem().string()] = readRegion(path, folder).uses;
  if (uses.empty()) fail(ErrorKind::Input, "{}: the folder has no regions; opbench record --regions makes them", folder);
  return uses;
}

}  // namespace inputs
