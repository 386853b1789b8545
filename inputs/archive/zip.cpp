#include "inputs/archive/zip.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "inputs/text/scanner.h"
#include "ir/error.h"

namespace inputs {
namespace {

constexpr uint64_t endSize = 22;  // of the end of the directory, without its comment
constexpr uint64_t longestComment = 65535;
constexpr uint64_t entrySize = 46;    // of a record in the directory, without its name
constexpr uint64_t headerSize = 30;   // of a record where its bytes are, without its name
constexpr uint64_t locatorSize = 20;  // bytes of the record that locates the 64-bit end of directory
constexpr uint64_t wideEndSize = 56;
constexpr uint32_t endMark = 0x06054b50, entryMark = 0x02014b50, headerMark = 0x04034b50, locatorMark = 0x07064b50,
                   wideEndMark = 0x06064b50;
constexpr uint32_t isWide = 0xffffffff;  // the number stands in 64 bits elsewhere
constexpr int stored = 0, deflated = 8;

/// A number of the file, the lowest byte first.
template <typename T>
T numberAt(std::string_view bytes, size_t offset) {
  T value{};
  for (size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i)));
  return value;
}

}  // namespace

Archive Archive::open(const std::string& path) {
  const auto fail = [&](int error) { ir::fail(ir::ErrorKind::Input, "cannot read {}: {}", path, std::strerror(error)); };
  auto file = std::make_shared<Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file->isOpen() || ::fstat(file->number(), &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!S_ISREG(status.st_mode)) ir::fail(ir::ErrorKind::Input, "cannot read {}: it is no regular file", path);
  return Archive(path, static_cast<uint64_t>(status.st_size), [path, file, fail](uint64_t offset, std::span<char> bytes) {
    while (!bytes.empty()) {
      const ssize_t got = ::pread(file->number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(errno);
      if (got == 0) ir::fail(ir::ErrorKind::Input, "cannot read {}: it became shorter", path);
      offset += static_cast<uint64_t>(got);
      bytes = bytes.subspan(static_cast<size_t>(got));
    }
  });
}

Archive Archive::of(std::string name, std::string bytes) {
  const uint64_t size = bytes.size();
  return Archive(std::move(name), size, [bytes = std::move(bytes)](uint64_t offset, std::span<char> out) {
    std::memcpy(out.data(), bytes.data() + offset, out.size());
  });
}

Archive::Archive(std::string path, uint64_t size, Source source)
    : path_(std::move(path)), size_(size), source_(std::move(source)) {
  readDirectory();
  dropFolder();
  std::sort(records_.begin(), records_.end(), [](const Record& a, const Record& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(records_.begin(), records_.end(), [](const Record& a, const Record& b) { return a.name == b.name; });
  if (twice != records_.end()) refuse(fmt::format("it has {} twice", shown(twice->name)));
}

void Archive::refuse(const std::string& why) const { ir::fail(ir::ErrorKind::Input, "{} is no archive: {}", path_, why); }

std::string Archive::bytes(uint64_t offset, uint64_t size, std::string_view what) const {
  if (offset > size_ || size > size_ - offset) refuse(fmt::format("{} lies beyond its end", what));
  std::string bytes(size, '\0');
  if (size > 0) source_(offset, bytes);
  return bytes;
}

Archive::Directory Archive::directory() const {
  if (size_ < endSize) refuse("it is too short");
  const uint64_t tail = std::min(size_, endSize + longestComment);
  const std::string end = bytes(size_ - tail, tail, "its end");
  for (uint64_t i = tail - endSize + 1; i-- > 0;) {
    if (numberAt<uint32_t>(end, i) != endMark) continue;
    if (i + endSize + numberAt<uint16_t>(end, i + 20) != tail) continue;
    const Directory narrow{numberAt<uint32_t>(end, i + 16), numberAt<uint32_t>(end, i + 12), numberAt<uint16_t>(end, i + 10)};
    if (narrow.offset != isWide && narrow.size != isWide && narrow.records != 0xffff) return narrow;
    return wideDirectory(size_ - tail + i, narrow);
  }
  refuse("it has no directory, as of a file that was cut off");
}

Archive::Directory Archive::wideDirectory(uint64_t end, Directory narrow) const {
  if (end < locatorSize) return narrow;
  const std::string locator = bytes(end - locatorSize, locatorSize, "its end");
  if (numberAt<uint32_t>(locator, 0) != locatorMark) return narrow;
  const std::string wide = bytes(numberAt<uint64_t>(locator, 8), wideEndSize, "its directory");
  if (numberAt<uint32_t>(wide, 0) != wideEndMark) refuse("its directory is damaged");
  return {numberAt<uint64_t>(wide, 48), numberAt<uint64_t>(wide, 40), numberAt<uint64_t>(wide, 32)};
}

void Archive::readDirectory() {
  const Directory where = directory();
  if (where.records > mostRecords) refuse(fmt::format("it has {} records, more than {}", where.records, mostRecords));
  const std::string all = bytes(where.offset, where.size, "its directory");
  const uint64_t most = (uint64_t{64} << 20) + mostRatio * size_;
  uint64_t inflated = 0;
  size_t at = 0;
  for (uint64_t i = 0; i < where.records; ++i) {
    if (all.size() - at < entrySize || numberAt<uint32_t>(all, at) != entryMark) refuse("its directory is damaged");
    const std::string_view entry = std::string_view(all).substr(at);
    const size_t name = numberAt<uint16_t>(entry, 28), extra = numberAt<uint16_t>(entry, 30),
                 comment = numberAt<uint16_t>(entry, 32);
    if (entry.size() - entrySize < name + extra + comment) refuse("its directory is damaged");
    Record record;
    record.name = entry.substr(entrySize, name);
    record.isEncrypted = (numberAt<uint16_t>(entry, 8) & 1) != 0;
    record.method = numberAt<uint16_t>(entry, 10);
    record.sum = numberAt<uint32_t>(entry, 16);
    record.packed = numberAt<uint32_t>(entry, 20);
    record.size = numberAt<uint32_t>(entry, 24);
    record.header = numberAt<uint32_t>(entry, 42);
    readSizes(entry.substr(entrySize + name, extra), record);
    at += entrySize + name + extra + comment;
    if (record.packed > size_ || record.header > size_) refuse(fmt::format("{} lies beyond its end", shown(record.name)));
    if (record.size > most - inflated) refuse(fmt::format("inflated it has more than {} bytes, for {} of its own", most, size_));
    inflated += record.size;
    if (!record.name.ends_with('/')) records_.push_back(std::move(record));
  }
}

void Archive::readSizes(std::string_view extra, Record& record) const {
  while (extra.size() >= 4) {
    const size_t size = numberAt<uint16_t>(extra, 2);
    if (extra.size() - 4 < size) return;
    if (numberAt<uint16_t>(extra, 0) == 1) {  // numbers of 64 bits, those alone that the entry has no room for
      std::string_view field = extra.substr(4, size);
      for (uint64_t* number : {&record.size, &record.packed, &record.header}) {
        if (*number != isWide) continue;
        if (field.size() < 8) refuse("its directory is damaged");
        *number = numberAt<uint64_t>(field, 0);
        field.remove_prefix(8);
      }
    }
    extra.remove_prefix(4 + size);
  }
}

void Archive::dropFolder() {
  if (records_.empty()) refuse("it is empty");
  const std::string folder = records_.front().name.substr(0, records_.front().name.find('/') + 1);
  for (Record& record : records_) {
    if (folder.empty() || !record.name.starts_with(folder)) refuse("its records do not lie in one folder, as torch writes them");
    record.name.erase(0, folder.size());
    inOrder_.push_back(record.name);
  }
}

std::vector<std::string> Archive::names() const { return inOrder_; }

const Archive::Record* Archive::find(std::string_view record) const {
  const auto found = std::lower_bound(records_.begin(), records_.end(), record,
                                      [](const Record& a, std::string_view name) { return a.name < name; });
  return found != records_.end() && found->name == record ? &*found : nullptr;
}

const Archive::Record& Archive::get(std::string_view record) const {
  const Record* found = find(record);
  if (found == nullptr) ir::fail(ir::ErrorKind::Input, "{} has no record {}", path_, shown(record));
  return *found;
}

uint64_t Archive::sizeOf(std::string_view record) const { return get(record).size; }

uint64_t Archive::dataOf(const Record& record) const {
  const std::string header = bytes(record.header, headerSize, shown(record.name));
  if (numberAt<uint32_t>(header, 0) != headerMark) refuse(fmt::format("{} is damaged", shown(record.name)));
  const uint64_t data = record.header + headerSize + numberAt<uint16_t>(header, 26) + numberAt<uint16_t>(header, 28);
  if (data > size_ || record.packed > size_ - data) refuse(fmt::format("{} lies beyond its end", shown(record.name)));
  return data;
}

void Archive::read(std::string_view name, std::span<char> bytes) const {
  const Record& record = get(name);
  ir::require(bytes.size() == record.size, "{} bytes for the {} of a record", bytes.size(), record.size);
  if (record.isEncrypted) refuse(fmt::format("{} is encrypted", shown(name)));
  if (record.method != stored && record.method != deflated)
    refuse(fmt::format("{} is packed by method {}, not stored or deflated", shown(name), record.method));
  const uint64_t data = dataOf(record);
  if (record.method == deflated) {
    inflate(record, data, bytes);
  } else {
    if (record.packed != record.size) refuse(fmt::format("{} has two sizes", shown(name)));
    if (!bytes.empty()) source_(data, bytes);
  }
  const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (!bytes.empty() && sum != record.sum) refuse(fmt::format("{} is damaged: its sum is another", shown(name)));
}

void Archive::inflate(const Record& record, uint64_t offset, std::span<char> bytes) const {
  constexpr uint64_t piece = uint64_t{1} << 20;
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) ir::fail(ir::ErrorKind::Internal, "zlib does not begin");
  const std::unique_ptr<z_stream, decltype(&::inflateEnd)> end(&stream, &::inflateEnd);
  std::string input(std::min(piece, record.packed), '\0');
  char beyond = 0;  // a byte that shows that a record goes on after its size
  uint64_t left = record.packed, written = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0 && left > 0) {
      const uint64_t size = std::min(piece, left);
      source_(offset, std::span(input).first(size));
      offset += size;
      left -= size;
      stream.next_in = reinterpret_cast<Bytef*>(input.data());
      stream.avail_in = static_cast<uInt>(size);
    }
    const uint64_t room = std::min(piece, bytes.size() - written);
    stream.next_out = reinterpret_cast<Bytef*>(room > 0 ? bytes.data() + written : &beyond);
    stream.avail_out = static_cast<uInt>(room > 0 ? room : 1);
    status = ::inflate(&stream, Z_NO_FLUSH);
    if (room > 0) written += room - stream.avail_out;
    if (room == 0 && stream.avail_out == 0) status = Z_DATA_ERROR;
  }
  if (status != Z_STREAM_END || written != bytes.size()) refuse(fmt::format("{} is damaged", shown(record.name)));
}

std::string Archive::text(std::string_view record, uint64_t most) const {
  const uint64_t size = sizeOf(record);
  if (size > most) ir::fail(ir::ErrorKind::Input, "{}: {} has {} bytes, more than {}", path_, shown(record), size, most);
  std::string text(size, '\0');
  read(record, text);
  return text;
}

}  // namespace inputs
