#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/descriptor.h"

namespace opbench {

/// Number of the descriptor by which a child talks with the process that started it.
inline constexpr int childsChannel = 3;

/// The running program, also where its file has been replaced, for a child that is this program once more.
inline constexpr std::string_view thisProgram = "/proc/self/exe";

/// A child that we exchange lines with; it is killed when this goes. It has a process group of its own, so that Ctrl-C does not
/// reach it.
class Process {
 public:
  /// A program, a file or a name in PATH, with these arguments after its name. Errors: Toolchain, where there is none or the
  /// system refuses.
  Process(const std::string& program, const std::vector<std::string>& arguments);
  ~Process();
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;

  pid_t pid() const { return pid_; }
  /// Sends a line to it; what it no longer reads is lost.
  void send(const std::string& line);

  /// The descriptors that become readable when it says something, or ends; and when it writes to standard output or error.
  int channel() const { return channel_.number(); }
  int errors() const { return errors_.number(); }
  /// Reads some of the channel, without waiting; false once it will say no more.
  bool hear();
  /// The next line that was read, without its line break.
  std::optional<std::string> line();
  /// The next line, waited for until then; nothing where none came, or it will say no more.
  std::optional<std::string> lineBefore(std::chrono::steady_clock::time_point deadline);
  /// The last lines that it wrote to standard output or error.
  std::string lastWords() const;
  /// Whether it has written more there since a line was sent to it than any process has to say.
  bool floods() const { return written_ > mostWritten; }

  /// Whether it has ended by itself; end() says how.
  bool hasEnded() const;
  /// Kills it, if it still runs, and says how it ended: the status that waitpid() tells; nothing where the system does not let go
  /// of it within a few seconds, as where it waits in a driver that hangs. It is then left to itself.
  std::optional<int> end();
  /// The status in words, and the process's last words: `signal 11 (Segmentation fault); it said:` and these.
  std::string ending();

 private:
  bool read();
  void readErrors();
  void stop() noexcept;
  bool reap() noexcept;

  static constexpr size_t mostWritten = size_t{64} << 20;  // bytes

  pid_t pid_ = -1;
  inputs::Descriptor channel_, errors_;
  std::string said_, wrote_;
  size_t written_ = 0;  ///< bytes, to standard output or error since a line was sent
  std::optional<int> status_;
};

/// When so many seconds are over; never where they are 0.
std::chrono::steady_clock::time_point deadlineAfter(double seconds);

}  // namespace opbench
