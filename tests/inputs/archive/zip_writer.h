#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tests {

/// A zip file of stored records, each `archive/NAME`, as torch writes them.
inline std::string zipOf(const std::vector<std::pair<std::string, std::string>>& records) {
  const auto number = [](uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xff);
    return text;
  };
  std::string file, directory;
  for (const auto& [name, data] : records) {
    const std::string path = "archive/" + name;
    const uint64_t sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size());
    const std::string form = number(0, 2) + number(0, 2) + number(0, 4) + number(sum, 4) + number(data.size(), 4) +
                             number(data.size(), 4) + number(path.size(), 2) + number(0, 2);
    directory += number(0x02014b50, 4) + number(20, 2) + number(20, 2) + form + number(0, 2) + number(0, 2) + number(0, 2) +
                 number(0, 4) + number(file.size(), 4) + path;
    file += number(0x04034b50, 4) + number(20, 2) + form + path + data;
  }
  const std::string end = number(0x06054b50, 4) + number(0, 4) + number(records.size(), 2) + number(records.size(), 2) +
                          number(directory.size(), 4) + number(file.size(), 4) + number(0, 2);
  return file + directory + end;
}

}  // namespace tests
