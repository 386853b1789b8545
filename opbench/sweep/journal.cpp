#include "opbench/sweep/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "inputs/files.h"
#include "ir/error.h"
#include "opbench/sweep/continuation.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using results::SampleResult;

constexpr size_t bytesOfLine = 2560;  // about

struct stat statusOf(const inputs::Descriptor& file) {
  struct stat status{};
  ::fstat(file.number(), &status);
  return status;
}

/// Whether a path still leads to the file that was opened there.
bool isInPlace(const inputs::Descriptor& file, const std::string& path) {
  const struct stat ours = statusOf(file);
  struct stat there{};
  return ::stat(path.c_str(), &there) == 0 && there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

}  // namespace

Journal::Journal(const Options& options, std::ostream& out, size_t samples) : options_(options) {
  if (options.json == "-")
    stream_ = &out;
  else if (!options.json.empty())
    openFile(samples);
}

/// A file that was made for results of which there are none goes again.
Journal::~Journal() {
  if (isNew_ && size_ == 0 && isInPlace(file_, options_.json)) ::unlink(options_.json.c_str());
}

void Journal::openFile(size_t samples) {
  struct stat status{};
  const bool exists = ::stat(options_.json.c_str(), &status) == 0;
  isRegular_ = !exists || S_ISREG(status.st_mode);
  if (isRegular_) {
    openRegular();
    if (const int error = inputs::syncName(options_.json); error != 0) fail(error);
    return requireRoom(samples);
  }
  if (options_.resume) fail("--resume needs a regular file");
  file_ = inputs::Descriptor(::open(options_.json.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file_.isOpen()) fail(errno);
}

/// Opens and locks the file. One that another run has replaced meanwhile is opened once more: a lock on the old one locks
/// nothing.
void Journal::openRegular() {
  do {
    file_ = inputs::Descriptor(::open(options_.json.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
    isNew_ = file_.isOpen();
    // A link that leads nowhere is there already, and makes its file.
    if (!isNew_) file_ = inputs::Descriptor(::open(options_.json.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!file_.isOpen()) fail(errno);
    lock();
  } while (!isInPlace(file_, options_.json));
  holdsOld_ = !options_.resume && statusOf(file_).st_size > 0;
}

void Journal::lock() {
  int result = 0;
  do result = ::flock(file_.number(), LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  if (result == 0) return;
  if (errno == EWOULDBLOCK) fail("another run is writing it");
  complaint_ =
      fmt::format("{} cannot be locked ({}); do not start a second run that writes it", options_.json, std::strerror(errno));
}

void Journal::requireRoom(size_t samples) const {
  struct statvfs disk{};
  if (::fstatvfs(file_.number(), &disk) != 0) return;
  const size_t needed = samples * options_.contenders.size() * bytesOfLine, room = disk.f_bavail * disk.f_frsize;
  if (room < needed)
    fail(fmt::format("its disk has {:.1f} MB left, {} samples need about {:.1f} MB", static_cast<double>(room) * 1e-6, samples,
                     static_cast<double>(needed) * 1e-6));
}

std::string Journal::resume(const std::vector<inputs::Sample>& samples, const std::vector<int>& mine,
                            const results::TakeSampleResult& take) {
  std::ifstream file(options_.json, std::ios::binary);
  if (!file) fail(errno);
  Continuation continuation(options_, samples, mine);
  std::string renumbered;
  const results::ReadSampleResults read =
      results::readSampleResults(file, options_.json, contendersOfCalls(options_.contenders).size(), [&](SampleResult result) {
        continuation.check(result);
        if (continuation.isExtension()) renumbered += result.lines;
        take(std::move(result));
      });
  continuation.checkSchema(read.oldestSchema);
  size_ = read.bytes;
  if (continuation.isExtension()) {
    replaceOld(renumbered);
    size_ = renumbered.size();
    return fmt::format("{} is of a run of {} samples, and goes on as one of {}{}{}", options_.json, continuation.samplesBefore(),
                       samples.size(), read.note.empty() ? "" : "; ", read.note);
  }
  if (::ftruncate(file_.number(), static_cast<off_t>(size_)) != 0) fail(errno);
  return read.note;
}

void Journal::append(std::string_view lines) {
  if (stream_ != nullptr) {
    *stream_ << lines;
    if (!stream_->flush()) ir::fail(ErrorKind::Input, "cannot write to standard output: {}", std::strerror(errno));
  }
  if (!file_.isOpen()) return;
  check();
  if (holdsOld_)
    replaceOld(lines);
  else
    write(lines);
  size_ += lines.size();
}

void Journal::replaceOld(std::string_view lines) {
  inputs::Replacement replacement(options_.json);
  ::flock(replacement.file().number(), LOCK_EX | LOCK_NB);
  replacement.write(lines);
  replacement.commit();
  file_ = std::move(replacement.file());
  holdsOld_ = false;
}

void Journal::write(std::string_view lines) {
  int error = inputs::writeAll(file_, lines);
  if (!isRegular_ && error != 0) fail(error);
  if (!isRegular_) return;
  if (error == 0 && ::fdatasync(file_.number()) != 0) error = errno;
  if (error == 0) return;
  if (::ftruncate(file_.number(), static_cast<off_t>(size_)) != 0) fail(errno);
  fail(error);
}

void Journal::check() const {
  if (!isRegular_ || !file_.isOpen()) return;
  if (statusOf(file_).st_size < static_cast<off_t>(size_)) fail("it was emptied while this run wrote it");
  if (isInPlace(file_, options_.json)) return;
  fail("it was removed or replaced while this run wrote it" + putBack());
}

/// Writes what the file held before it was removed to its old place, or beside what stands there now.
std::string Journal::putBack() const {
  if (statusOf(file_).st_nlink > 0 || size_ == 0) return "";
  std::string text(size_, '\0');
  if (::pread(file_.number(), text.data(), size_, 0) != static_cast<ssize_t>(size_)) return "";
  struct stat status{};
  const bool isFree = ::lstat(options_.json.c_str(), &status) != 0;
  const std::string place = isFree ? options_.json : fmt::format("{}.{}", options_.json, ::getpid());
  inputs::writeFile(place, text);
  return fmt::format("; {} has its results so far", place);
}

void Journal::fail(int error) const { fail(std::strerror(error)); }

void Journal::fail(const std::string& why) const { ir::fail(ErrorKind::Input, "cannot write {}: {}", options_.json, why); }

}  // namespace opbench
