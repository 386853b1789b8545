#include "runtime/build/trusted_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include "inputs/files.h"
#include "ir/error.h"

namespace runtime {
namespace {

using inputs::Descriptor;

constexpr std::string_view unfinished = ".new-";
constexpr mode_t allBits = 07777, othersBits = 077, writableByOthers = 022;

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> why, Args&&... args) {
  ir::fail(ir::ErrorKind::Input, why, std::forward<Args>(args)...);
}

int64_t nanosecondsOf(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

/// A trailing slash would follow a link.
std::string withoutSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// Makes a folder and those above it. Returns 0, or the first error.
int makeFolders(const std::filesystem::path& path) {
  std::filesystem::path made;
  int error = 0;
  for (const auto& part : path) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) != 0 && errno != EEXIST && error == 0) error = errno;
  }
  return error;
}

Descriptor openFolder(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::string whyNotOpen(const std::string& path, int error) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) return "it is a link; use the folder it points to";
  return std::strerror(error);
}

bool isMember(gid_t group) {
  if (::getegid() == group) return true;
  std::vector<gid_t> groups(static_cast<size_t>(std::max(0, ::getgroups(0, nullptr))));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  return count > 0 && std::find(groups.begin(), groups.begin() + count, group) != groups.begin() + count;
}

/// A name that no other process has made.
std::string newName() {
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) random = static_cast<uint64_t>(::getpid());
  return fmt::format("{}{:016x}", unfinished, random);
}

/// Reads a file of this size; nothing where it is shorter or longer by now.
std::optional<std::string> readAll(const Descriptor& file, size_t size) {
  std::string bytes(size + 1, '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = ::read(file.number(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    filled += static_cast<size_t>(count);
  }
  if (filled != size) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

}  // namespace

/// A file that has no name of its own yet, and is gone where it gets none.
class TrustedFolder::NewFile {
 public:
  explicit NewFile(const TrustedFolder& folder)
      : folder_(folder.folder_),
        name_(newName()),
        file_(::openat(folder_.number(), name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) {
    if (!file_.isOpen()) error_ = errno;
    if (error_ == 0 && folder.trust_ == Trust::Group) share(folder.group_);
  }
  ~NewFile() {
    if (file_.isOpen() && !name_.empty()) ::unlinkat(folder_.number(), name_.c_str(), 0);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view bytes) {
    if (error_ == 0) error_ = inputs::writeAll(file_, bytes);
  }
  void sync() {
    if (error_ == 0 && ::fsync(file_.number()) != 0) error_ = errno;
  }

  /// Takes the place of whatever has the name, but for a folder that is not empty.
  int replace(const std::string& name) {
    if (error_ != 0) return error_;
    if (rename(name) == 0) return 0;
    if (errno != EISDIR || ::unlinkat(folder_.number(), name.c_str(), AT_REMOVEDIR) != 0) return errno;
    return rename(name) == 0 ? 0 : errno;
  }

  /// Takes a name that nobody has.
  int take(const std::string& name) {
    if (error_ != 0) return error_;
    const int folder = folder_.number();
    if (::linkat(folder, name_.c_str(), folder, name.c_str(), 0) == 0) return 0;
    if (errno == EEXIST) return EEXIST;
    // A file system without links.
    if (::renameat2(folder, name_.c_str(), folder, name.c_str(), RENAME_NOREPLACE) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  void share(gid_t group) {
    struct stat status{};
    const int file = file_.number();
    if (::fstat(file, &status) != 0 || (status.st_gid != group && ::fchown(file, static_cast<uid_t>(-1), group) != 0) ||
        ::fchmod(file, 0640) != 0)
      error_ = errno;
  }

  int rename(const std::string& name) {
    const int result = ::renameat(folder_.number(), name_.c_str(), folder_.number(), name.c_str());
    if (result == 0) name_.clear();
    return result;
  }

  const Descriptor& folder_;
  std::string name_;  ///< empty once it has another
  Descriptor file_;
  int error_ = 0;
};

TrustedFolder::TrustedFolder(std::string path, Trust trust) : path_(withoutSlashes(std::move(path))), trust_(trust) {
  folder_ = openFolder(path_);
  if (!folder_.isOpen() && errno == ENOENT && trust == Trust::User) {
    const int error = makeFolders(path_);
    folder_ = openFolder(path_);
    if (!folder_.isOpen() && error != 0) errno = error;
  }
  if (!folder_.isOpen() && !(errno == ENOENT && trust == Trust::Group)) refuse("{}", whyNotOpen(path_, errno));
  trust == Trust::User ? checkUsers() : checkGroups();
}

void TrustedFolder::checkUsers() {
  struct stat status{};
  if (::fstat(folder_.number(), &status) != 0) refuse("{}", std::strerror(errno));
  if (status.st_uid != ::geteuid()) refuse("it belongs to user {}", status.st_uid);
  if ((status.st_mode & writableByOthers) != 0) refuse("others can write to it; run chmod 700 on it");
}

bool TrustedFolder::isOpenToOthers() const {
  struct stat status{};
  return ::fstat(folder_.number(), &status) != 0 || (trust_ == Trust::User && (status.st_mode & othersBits) != 0);
}

void TrustedFolder::close() const {
  if (::fchmod(folder_.number(), 0700) != 0)
    refuse("others can read it, and its mode cannot be changed: {}", std::strerror(errno));
}

void TrustedFolder::checkGroups() {
  struct stat status{};
  const bool fits = folder_.isOpen() && ::fstat(folder_.number(), &status) == 0 && (status.st_mode & allBits) == 02770 &&
                    isMember(status.st_gid);
  if (!fits)
    refuse(
        "a shared cache is a folder of mode 2770 and of a group that the user is in: mkdir -p {0}; chgrp GROUP {0}; chmod 2770 "
        "{0}",
        path_);
  group_ = status.st_gid;
}

bool TrustedFolder::isBelieved(const struct stat& status) const {
  if (!S_ISREG(status.st_mode) || (status.st_mode & writableByOthers) != 0) return false;
  return trust_ == Trust::User ? status.st_uid == ::geteuid() : status.st_gid == group_;
}

std::optional<TrustedFolder::Content> TrustedFolder::read(const std::string& name, size_t most) const {
  const Descriptor file(::openat(folder_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file.isOpen() || ::fstat(file.number(), &status) != 0 || !isBelieved(status)) return std::nullopt;
  const auto size = static_cast<size_t>(status.st_size);
  if (size > most) return std::nullopt;
  std::optional<std::string> bytes = readAll(file, size);
  if (!bytes) return std::nullopt;
  return Content{std::move(*bytes), nanosecondsOf(status.st_mtim), status.st_mode & allBits};
}

bool TrustedFolder::write(const std::string& name, std::initializer_list<std::string_view> parts) const {
  NewFile file(*this);
  for (const std::string_view part : parts) file.write(part);
  return file.replace(name) == 0;
}

int TrustedFolder::create(const std::string& name, std::string_view bytes) const {
  NewFile file(*this);
  file.write(bytes);
  file.sync();
  return file.take(name);
}

bool TrustedFolder::touch(const std::string& name) const {
  return ::utimensat(folder_.number(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0;
}

void TrustedFolder::remove(const std::string& name) const { ::unlinkat(folder_.number(), name.c_str(), 0); }

std::vector<std::string> TrustedFolder::names() const {
  std::vector<std::string> found;
  const int again = ::openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto close = [](DIR* folder) { ::closedir(folder); };
  const std::unique_ptr<DIR, decltype(close)> folder(again < 0 ? nullptr : ::fdopendir(again));
  if (!folder) return found;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") found.emplace_back(name);
  }
  return found;
}

std::vector<TrustedFolder::File> TrustedFolder::files() const {
  std::vector<File> found;
  for (const std::string& name : names()) {
    struct stat status{};
    if (::fstatat(folder_.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
      found.push_back({name, status.st_size, nanosecondsOf(status.st_mtim)});
  }
  return found;
}

Descriptor TrustedFolder::lock(const std::string& name) const {
  using namespace std::chrono_literals;
  const mode_t mode = trust_ == Trust::User ? 0600 : 0660;
  Descriptor file(::openat(folder_.number(), name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode));
  struct stat status{};
  if (!file.isOpen() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return Descriptor();
  if (trust_ == Trust::Group && status.st_uid == ::geteuid()) ::fchmod(file.number(), mode);
  constexpr int attempts = 1000;  // ten seconds: on a busy machine others take their time, and there is no queue
  for (int i = 0; i < attempts; ++i) {
    if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0) return file;
    std::this_thread::sleep_for(10ms);
  }
  return Descriptor();
}

bool isUnfinished(std::string_view name) { return name.starts_with(unfinished); }

}  // namespace runtime
