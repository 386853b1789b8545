#include "opbench/process/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "ir/error.h"

namespace opbench {
namespace {

constexpr size_t mostWords = 4096;               // bytes that are kept of its last output
constexpr size_t longestLine = size_t{1} << 28;  // of the channel
constexpr int readsAtOnce = 16;                  // of endless output, before others have their turn
constexpr std::chrono::seconds patience{5};      // that the system may take to end it
constexpr int mostLines = 6;                     // of these, shown

[[noreturn]] void fail(const std::string& what, int error) {
  ir::fail(ir::ErrorKind::Toolchain, "cannot start a process: {}: {}", what, std::strerror(error));
}

/// Two ends of a channel.
struct Ends {
  inputs::Descriptor ours, childs;
};

Ends socketPair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair", errno);
  return {inputs::Descriptor(ends[0]), inputs::Descriptor(ends[1])};
}

Ends pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe", errno);
  return {inputs::Descriptor(ends[0]), inputs::Descriptor(ends[1])};
}

/// The actions of posix_spawn in the child before the program starts.
class Preparations {
 public:
  Preparations(int channel, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, channel, childsChannel);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  ~Preparations() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  Preparations(const Preparations&) = delete;
  Preparations& operator=(const Preparations&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

bool isReadable(int file) {
  pollfd entry{file, POLLIN, 0};
  return file >= 0 && ::poll(&entry, 1, 0) > 0;
}

/// Appends what there is to `text`; false at the end.
bool readInto(std::string& text, int descriptor) {
  std::array<char, 1 << 16> block{};
  const ssize_t count = ::read(descriptor, block.data(), block.size());
  if (count < 0 && errno == EINTR) return true;
  if (count > 0) text.append(block.data(), static_cast<size_t>(count));
  return count > 0;
}

/// `signal 11 (Segmentation fault)`, `exit status 1`.
std::string endText(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

Process::Process(const std::string& program, const std::vector<std::string>& arguments) {
  Ends channel = socketPair(), errors = pipe();
  const Preparations preparations(channel.childs.number(), errors.childs.number());
  std::vector<std::string> words{program == thisProgram ? "opbench" : program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int error =
      ::posix_spawnp(&pid_, program.c_str(), preparations.actions(), preparations.attributes(), pointers.data(), environ);
  if (error != 0) fail(program, error);
  channel_ = std::move(channel.ours);
  errors_ = std::move(errors.ours);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      errors_(std::move(other.errors_)),
      said_(std::move(other.said_)),
      wrote_(std::move(other.wrote_)),
      written_(other.written_),
      status_(other.status_) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  std::swap(errors_, other.errors_);
  std::swap(said_, other.said_);
  std::swap(wrote_, other.wrote_);
  std::swap(written_, other.written_);
  std::swap(status_, other.status_);
  return *this;
}

Process::~Process() { stop(); }

void Process::send(const std::string& line) {
  written_ = 0;
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t count = ::send(channel(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    rest.remove_prefix(static_cast<size_t>(count));
  }
}

bool Process::hear() {
  readErrors();
  return !isReadable(channel()) || read();
}

bool Process::read() { return said_.size() < longestLine && readInto(said_, channel()); }

/// Reads some of its output, without waiting: a process of its own may hold the pipe for longer than it lives.
void Process::readErrors() {
  for (int i = 0; i < readsAtOnce && isReadable(errors()); ++i) {
    const size_t before = wrote_.size();
    const bool isOpen = readInto(wrote_, errors());
    written_ += wrote_.size() - before;
    if (wrote_.size() > 2 * mostWords) wrote_.erase(0, wrote_.size() - mostWords);
    if (!isOpen) errors_ = inputs::Descriptor();
  }
}

std::optional<std::string> Process::line() {
  const size_t end = said_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = said_.substr(0, end);
  said_.erase(0, end + 1);
  return line;
}

std::optional<std::string> Process::lineBefore(std::chrono::steady_clock::time_point deadline) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds longestWait{1000};
  for (;;) {
    if (auto next = line()) return next;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return std::nullopt;
    std::array<pollfd, 2> files{{{channel(), POLLIN, 0}, {errors(), POLLIN, 0}}};
    ::poll(files.data(), files.size(), static_cast<int>(std::min(left, longestWait).count()));
    if (!hear()) return line();
  }
}

std::string Process::lastWords() const {
  std::string_view words = wrote_;
  while (words.ends_with('\n')) words.remove_suffix(1);
  size_t from = words.size();
  for (int i = 0; i < mostLines && from != std::string_view::npos; ++i)
    from = from == 0 ? std::string_view::npos : words.rfind('\n', from - 1);
  return std::string(from == std::string_view::npos ? words : words.substr(from + 1));
}

bool Process::hasEnded() const {
  siginfo_t info{};
  return pid_ < 0 || (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_);
}

std::optional<int> Process::end() {
  stop();
  readErrors();
  return status_;
}

void Process::stop() noexcept {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!reap() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  pid_ = -1;
}

/// Whether it has ended.
bool Process::reap() noexcept {
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) status_ = status;
  return ended != 0 && (ended == pid_ || errno != EINTR);
}

std::string Process::ending() {
  const auto status = end();
  const std::string how = status ? endText(*status) : "cannot be killed", words = lastWords();
  return words.empty() ? how : how + "; its last output:\n" + words;
}

std::chrono::steady_clock::time_point deadlineAfter(double seconds) {
  using Clock = std::chrono::steady_clock;
  if (seconds <= 0) return Clock::time_point::max();
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace opbench
