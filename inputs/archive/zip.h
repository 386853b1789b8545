#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/descriptor.h"

namespace inputs {

/// The records of a zip file that torch wrote: all of them lie in one folder, which their names leave out. A record is stored or
/// deflated. What the directory says is checked before a byte is inflated: at most `mostRecords` records, each of them inside of
/// the file, and at most 64 MiB and `mostRatio` times the file's size of inflated bytes in all.
class Archive {
 public:
  static constexpr uint64_t mostRecords = 65536;
  static constexpr uint64_t mostRatio = 100;

  /// The archive in a file, which stays open. Errors: Input, `cannot read FILE: why`, `FILE is no archive: why`.
  static Archive open(const std::string& path);
  /// The archive that these bytes are; `name` is for messages.
  static Archive of(std::string name, std::string bytes);

  const std::string& path() const { return path_; }
  bool has(std::string_view record) const { return find(record) != nullptr; }
  /// The names of all records, in their order.
  std::vector<std::string> names() const;
  /// How many bytes a record has once it is inflated. Error: Input, where it is missing.
  uint64_t sizeOf(std::string_view record) const;
  /// Fills `bytes`, as many as sizeOf() says, with a record. Errors: Input, where it is missing, torn or encrypted, or its sum
  /// (CRC-32) is another.
  void read(std::string_view record, std::span<char> bytes) const;
  /// A record of at most `most` bytes. Errors: as above, and Input for a longer one.
  std::string text(std::string_view record, uint64_t most) const;

 private:
  struct Record {
    std::string name;
    uint64_t header = 0;  ///< where its local header begins
    uint64_t packed = 0;  ///< bytes in the file
    uint64_t size = 0;    ///< bytes once inflated
    uint32_t sum = 0;
    int method = 0;  ///< 0: stored, 8: deflated
    bool isEncrypted = false;
  };
  /// Fills the bytes from an offset of the file on.
  using Source = std::function<void(uint64_t offset, std::span<char> bytes)>;
  struct Directory {
    uint64_t offset, size, records;
  };

  Archive(std::string path, uint64_t size, Source source);
  [[noreturn]] void refuse(const std::string& why) const;
  std::string bytes(uint64_t offset, uint64_t size, std::string_view what) const;
  Directory directory() const;
  Directory wideDirectory(uint64_t end, Directory narrow) const;
  void readDirectory();
  void readSizes(std::string_view extra, Record& record) const;
  void dropFolder();
  const Record& get(std::string_view record) const;
  const Record* find(std::string_view record) const;
  uint64_t dataOf(const Record& record) const;
  void inflate(const Record& record, uint64_t offset, std::span<char> bytes) const;

  std::string path_;
  uint64_t size_;
  Source source_;
  std::vector<Record> records_;       ///< in the order of their names
  std::vector<std::string> inOrder_;  ///< their names as the directory has them
};

}  // namespace inputs
