#include "opbench/sweep/worker.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include "opbench/sweep/agenda.h"
#include "opbench/sweep/process.h"
#include "opbench/sweep/racer.h"

namespace opbench {
namespace {

/// The other end of Process.
class Channel {
 public:
  /// The next line; nothing at the end.
  std::optional<std::string> receive() {
    size_t end = 0;
    while ((end = read_.find('\n')) == std::string::npos)
      if (!readMore()) return std::nullopt;
    std::string line = read_.substr(0, end);
    read_.erase(0, end + 1);
    return line;
  }

  static void send(const Reply& reply) {
    const std::string line = toLine(reply);
    for (std::string_view rest = line; !rest.empty();) {
      const ssize_t count = ::send(childsChannel, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return;
      rest.remove_prefix(static_cast<size_t>(count));
    }
  }

 private:
  bool readMore() {
    std::array<char, 1 << 14> block{};
    const ssize_t count = ::read(childsChannel, block.data(), block.size());
    if (count > 0) read_.append(block.data(), static_cast<size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }

  std::string read_;
};

/// What the supervisor hands over, as raceHere sees it.
class Orders : public Agenda {
 public:
  void begin(const Ready& ready) override { Channel::send(ready); }
  std::optional<Job> next() override {
    const auto line = channel_.receive();
    return line ? std::optional(jobOf(*line)) : std::nullopt;
  }
  bool isInterrupted() const override { return false; }
  void take(const Finished& finished) override { Channel::send(finished); }
  void complain(const std::string&) override {}

 private:
  Channel channel_;
};

}  // namespace

void work(const Options& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Orders orders;
  try {
    raceHere(orders, options);
  } catch (const runtime::NoDevice& error) {
    Channel::send(Refused{error.what(), true, false});
  } catch (const ir::Error& error) {
    Channel::send(Refused{error.what(), false, error.kind() == ir::ErrorKind::Input});
  } catch (const std::exception& error) {
    Channel::send(Refused{error.what(), false, false});
  }
  // What a sample did to the process or the device may show once more where all is taken down.
  ::_exit(0);
}

}  // namespace opbench
