// The end of a channel that a worker has.
#include "opbench/process/channel.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "opbench/process/process.h"

namespace {

/// How a process ends that opens the channel and goes on, whose program still is there or has ended before.
int endOfWorker(bool hasProgram) {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  const char unread = '\n';
  REQUIRE(::write(ends[0], &unread, 1) == 1);
  if (!hasProgram) ::close(ends[0]);
  const pid_t worker = ::fork();
  if (worker == 0) {
    ::dup2(ends[1], opbench::childsChannel);
    const opbench::Channel channel;
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(worker, &status, 0);
  if (hasProgram) ::close(ends[0]);
  ::close(ends[1]);
  return status;
}

}  // namespace

TEST_CASE("a worker ends where its program has ended before it could be told") {
  CHECK(endOfWorker(/*hasProgram=*/true) == 0);
  const int status = endOfWorker(/*hasProgram=*/false);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGKILL);
}
