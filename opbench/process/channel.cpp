#include "opbench/process/channel.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "opbench/process/process.h"

namespace opbench {

Channel::Channel() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Who ended before has sent no signal, but has closed the other end.
  pollfd other{childsChannel, 0, 0};
  if (::poll(&other, 1, 0) > 0 && (other.revents & POLLHUP) != 0) std::raise(SIGKILL);
  // A scheduler tells every process of a job to end; which sample is the last one is for the program that started this one to
  // say.
  for (const int ending : {SIGINT, SIGTERM, SIGHUP}) std::signal(ending, SIG_IGN);
}

std::optional<std::string> Channel::receive() {
  size_t end = 0;
  while ((end = read_.find('\n')) == std::string::npos)
    if (!readMore()) return std::nullopt;
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

void Channel::send(std::string_view line) {
  while (!line.empty()) {
    const ssize_t count = ::send(childsChannel, line.data(), line.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    line.remove_prefix(static_cast<size_t>(count));
  }
}

bool Channel::readMore() {
  std::array<char, 1 << 14> block{};
  const ssize_t count = ::read(childsChannel, block.data(), block.size());
  if (count > 0) read_.append(block.data(), static_cast<size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

}  // namespace opbench
