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
#include <set>

#include "ir/error.h"
#include "opbench/arguments.h"
#include "opbench/version.h"

namespace opbench {
namespace {

using ir::ErrorKind;
using results::Raced;

constexpr size_t bytesOfLine = 2048;  // about

/// Whether earlier results are of the sweep at hand.
class Comparison {
 public:
  Comparison(const Options& options, const std::vector<inputs::Sample>& samples, const std::vector<int>& mine)
      : file_(options.json),
        options_(quoted(raceArguments(options))),
        rules_(rulesDigest(options)),
        recorded_(options.recorded),
        samples_(samples),
        left_(mine.begin(), mine.end()) {}

  void check(const Raced& raced) {
    place_ = raced.place;
    if (raced.run.version != versionText()) refuse("{} wrote it, this is {}", raced.run.version, versionText());
    if (raced.run.options != options_) refuse("it was raced with '{}', not '{}'", raced.run.options, options_);
    if (raced.run.rules != rules_) refuse("the files of --config and --tolerances say something else than they did then");
    const auto index = static_cast<size_t>(raced.row.index);
    const bool isOurs = index >= 1 && index <= samples_.size() && samples_[index - 1].op == raced.row.op &&
                        samples_[index - 1].recorded == raced.row.sample &&
                        raced.run.samples == static_cast<int>(samples_.size()) && raced.run.recorded == recorded_;
    if (!isOurs) refuse("its samples are not those that were selected now");
    if (left_.erase(raced.row.index) == 0) refuse("sample {} is there twice, or another shard's", raced.row.index);
  }

 private:
  template <typename... Arguments>
  [[noreturn]] void refuse(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    ir::fail(ErrorKind::Input, "{}:{}: {}; --resume continues a run of the same options, samples and build", file_, place_,
             fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  const std::string& file_;
  const std::string options_, rules_;
  const Recorded recorded_;
  const std::vector<inputs::Sample>& samples_;
  std::set<int> left_;  ///< numbers of samples that were not found yet
  int place_ = 0;
};

}  // namespace

Journal::Journal(const Options& options, std::ostream& out, size_t samples) : options_(options) {
  if (options.json == "-")
    stream_ = &out;
  else if (!options.json.empty())
    openFile(samples);
}

void Journal::openFile(size_t samples) {
  file_ = inputs::Descriptor(::open(options_.json.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file_.isOpen()) fail(errno);
  struct stat status{};
  if (::fstat(file_.number(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    ir::fail(ErrorKind::Input, "cannot write {}: another run is writing it", options_.json);
  if (!options_.resume && ::ftruncate(file_.number(), 0) != 0) fail(errno);
  struct statvfs disk{};
  const size_t needed = samples * options_.contenders.size() * bytesOfLine;
  if (::fstatvfs(file_.number(), &disk) == 0 && disk.f_bavail * disk.f_frsize < needed)
    ir::fail(ErrorKind::Input, "cannot write {}: its disk has {:.1f} MB left, and {} samples take about {:.1f} MB", options_.json,
             static_cast<double>(disk.f_bavail * disk.f_frsize) * 1e-6, samples, static_cast<double>(needed) * 1e-6);
}

std::string Journal::resume(const std::vector<inputs::Sample>& samples, const std::vector<int>& mine,
                            const results::TakeRaced& take) {
  std::ifstream file(options_.json, std::ios::binary);
  if (!file) fail(errno);
  Comparison comparison(options_, samples, mine);
  const results::ReadRaced read = results::readRaced(file, options_.json, options_.contenders.size(), [&](Raced raced) {
    comparison.check(raced);
    take(std::move(raced));
  });
  size_ = read.bytes;
  if (::ftruncate(file_.number(), static_cast<off_t>(size_)) != 0) fail(errno);
  return read.note;
}

void Journal::append(std::string_view lines) {
  if (stream_ != nullptr) {
    *stream_ << lines;
    if (!stream_->flush()) ir::fail(ErrorKind::Input, "cannot write to standard output: {}", std::strerror(errno));
  }
  if (!file_.isOpen()) return;
  writeAll(lines);
  ::fdatasync(file_.number());
  size_ += lines.size();
}

void Journal::writeAll(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file_.number(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = errno;
      if (::ftruncate(file_.number(), static_cast<off_t>(size_)) != 0) fail(errno);
      fail(error);
    }
    text.remove_prefix(static_cast<size_t>(count));
  }
}

void Journal::fail(int error) const { ir::fail(ErrorKind::Input, "cannot write {}: {}", options_.json, std::strerror(error)); }

}  // namespace opbench
