#include "inputs/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <system_error>
#include <utility>

#include "inputs/text/encoding.h"
#include "ir/error.h"

namespace inputs {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannotWrite(const std::string& path, int error) {
  ir::fail(ir::ErrorKind::Input, "cannot write {}: {}", path, std::strerror(error));
}

/// Where a path's links lead, also where the last one leads to nothing yet.
fs::path resolved(const std::string& path) {
  constexpr int mostLinks = 40;
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < mostLinks && fs::is_symlink(target, error); ++i)
    target = target.parent_path() / fs::read_symlink(target, error);
  return target;
}

fs::path folderOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// What is at a path, links followed; nothing where there is nothing.
bool statusOf(const fs::path& path, struct stat& status) { return ::stat(path.c_str(), &status) == 0; }

[[noreturn]] void tooLong(const std::string& path, size_t line, size_t most) {
  ir::fail(ir::ErrorKind::Input, "{}:{}: the line is longer than {} bytes", path, line, most);
}

/// Counts the lines of a text that comes in parts, and how long the last one is so far.
class LineLength {
 public:
  LineLength(const std::string& path, size_t most) : path_(path), most_(most) {}

  void add(std::string_view part) {
    for (size_t end = part.find('\n'); end != std::string_view::npos; end = part.find('\n')) {
      extend(end);
      ++line_;
      length_ = 0;
      part.remove_prefix(end + 1);
    }
    extend(part.size());
  }

 private:
  void extend(size_t more) {
    length_ += more;
    if (length_ > most_) tooLong(path_, line_, most_);
  }

  const std::string& path_;
  const size_t most_;
  size_t line_ = 1, length_ = 0;
};

/// Why a file cannot be read.
[[noreturn]] void cannotRead(const std::string& path, const std::string& why) {
  ir::fail(ir::ErrorKind::Input, "cannot read {}: {}", path, why);
}

using Take = std::function<void(std::string_view)>;

/// Hands on parts of a file's content, within its limits.
class Limited {
 public:
  Limited(const std::string& path, const FileLimits& limits, Take take)
      : path_(path), limits_(limits), length_(path, limits.line), take_(std::move(take)) {}

  void add(std::string_view part) {
    length_.add(part);
    size_ += part.size();
    if (size_ > limits_.file) cannotRead(path_, fmt::format("it holds more than {} bytes", limits_.file));
    take_(part);
  }

 private:
  const std::string& path_;
  const FileLimits& limits_;
  LineLength length_;
  size_t size_ = 0;
  const Take take_;
};

/// Hands on the text of a file in parts. The first one says whether it is one.
void readParts(const std::string& path, const FileLimits& limits, Take take) {
  Limited content(path, limits, std::move(take));
  std::optional<Unpacker> unpacker;
  bool isFirstPiece = true, isFirst = true;
  const auto add = [&](std::string_view part) {
    if (part.empty()) return;
    if (std::exchange(isFirst, false)) {
      if (const auto other = otherThanText(part, path)) cannotRead(path, *other);
      if (part.starts_with(byteOrderMark)) part.remove_prefix(byteOrderMark.size());
    }
    content.add(part);
  };
  readPieces(path, [&](std::string_view piece) {
    if (std::exchange(isFirstPiece, false) && isGzip(piece)) unpacker.emplace();
    if (!unpacker) return add(piece);
    if (!unpacker->add(piece, add)) cannotRead(path, "what gzip packed is damaged");
  });
  if (unpacker && !unpacker->isWhole()) cannotRead(path, "what gzip packed is cut off");
}

}  // namespace

void readPieces(const std::string& path, const std::function<void(std::string_view)>& take) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.isOpen()) cannotRead(path, std::strerror(errno));
  struct stat status{};
  if (::fstat(file.number(), &status) == 0 && S_ISDIR(status.st_mode)) cannotRead(path, "it is a folder");
  std::string block(size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t count = ::read(file.number(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannotRead(path, std::strerror(errno));
    if (count == 0) return;
    take({block.data(), static_cast<size_t>(count)});
  }
}

std::string readFile(const std::string& path, const FileLimits& limits) {
  std::string text;
  Limited content(path, limits, [&](std::string_view part) { text += part; });
  readPieces(path, [&](std::string_view piece) { content.add(piece); });
  return text;
}

std::string readText(const std::string& path, const FileLimits& limits) {
  std::string text;
  readParts(path, limits, [&](std::string_view part) { text += part; });
  return text;
}

void readLines(const std::string& path, const std::function<void(std::string_view line, bool isBroken)>& take,
               const FileLimits& limits) {
  std::string begun;  // what came of a line so far
  readParts(path, limits, [&](std::string_view part) {
    for (size_t end = part.find('\n'); end != std::string_view::npos; end = part.find('\n')) {
      begun += part.substr(0, end);
      take(begun, /*isBroken=*/false);
      begun.clear();
      part.remove_prefix(end + 1);
    }
    begun += part;
  });
  if (!begun.empty()) take(begun, /*isBroken=*/true);
}

Replacement::Replacement(const std::string& path) : path_(path), target_(resolved(path)) {
  struct stat status{};
  const bool exists = statusOf(target_, status);
  if (exists && S_ISDIR(status.st_mode)) cannotWrite(path_, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = Descriptor(::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file_.isOpen()) cannotWrite(path_, errno);
    return;
  }
  // A file that its owner has made read-only is not replaced, though its folder would allow that.
  if (exists && ::access(target_.c_str(), W_OK) != 0) cannotWrite(path_, errno);
  aside_ = (folderOf(target_) / ("." + target_.filename().string() + ".XXXXXX")).string();
  file_ = Descriptor(::mkostemp(aside_.data(), O_CLOEXEC | O_APPEND));
  if (!file_.isOpen()) {
    aside_.clear();
    cannotWrite(path_, errno);
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file_.number(), exists ? status.st_mode & 0777 : 0666 & ~mask);
}

Replacement::~Replacement() {
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void Replacement::write(std::string_view text) {
  if (const int error = writeAll(file_, text); error != 0) cannotWrite(path_, error);
}

void Replacement::commit(Durable durable) {
  if (aside_.empty()) return;
  if (durable == Durable::Yes && ::fsync(file_.number()) != 0) cannotWrite(path_, errno);
  if (::rename(aside_.c_str(), target_.c_str()) != 0) cannotWrite(path_, errno);
  aside_.clear();
  if (durable == Durable::No) return;
  if (const int error = syncName(target_); error != 0) cannotWrite(path_, error);
}

void writeFile(const std::string& path, std::string_view text, Durable durable) {
  Replacement file(path);
  file.write(text);
  file.commit(durable);
}

void checkWritable(const std::string& path) { const Replacement probe(path); }

int writeAll(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file.number(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

void makeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) ir::fail(ir::ErrorKind::Input, "cannot make {}: {}", folder, error.message());
}

void makeWritableFolder(const std::string& folder) {
  makeFolder(folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    ir::fail(ir::ErrorKind::Input, "cannot write in {}: {}", folder, std::strerror(errno));
}

int syncName(const std::string& path) {
  const Descriptor folder(::open(folderOf(resolved(path)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.isOpen()) return errno == EACCES ? 0 : errno;  // one that may be written, and not read
  return ::fsync(folder.number()) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

std::optional<std::string_view> LineReader::next() {
  const size_t most = FileLimits().line;
  buffer_.resize(most + 2);
  stream_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  const auto count = static_cast<size_t>(stream_.gcount());
  if (count == 0) return std::nullopt;
  ++number_;
  const size_t length = stream_.eof() || stream_.fail() ? count : count - 1;  // it counts the line break
  if (length > most) tooLong(file_, number_, most);
  return std::string_view(buffer_.data(), length);
}

bool isSameFile(const std::string& a, const std::string& b) {
  const fs::path first = resolved(a), second = resolved(b);
  struct stat one{}, other{};
  const bool hasFirst = statusOf(first, one), hasSecond = statusOf(second, other);
  if (hasFirst != hasSecond) return false;
  if (hasFirst) return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  return first.filename() == second.filename() && statusOf(folderOf(first), one) && statusOf(folderOf(second), other) &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace inputs
