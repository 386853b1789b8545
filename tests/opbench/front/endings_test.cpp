// What a program that is told to end says at a terminal, and does.
#include "opbench/front/endings.h"

#include <doctest/doctest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

namespace {

/// A program that is told to end so many times, and the text that its terminal, or its pipe, shows.
struct Ended {
  int status = 0;
  std::string text;
};

Ended endedBy(int times, bool hasTerminal) {
  int ours = -1, theirs = -1;
  if (hasTerminal) {
    REQUIRE(::openpty(&ours, &theirs, nullptr, nullptr, nullptr) == 0);
  } else {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    ours = ends[0];
    theirs = ends[1];
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(theirs, STDERR_FILENO);
    for (const int end : {ours, theirs}) ::close(end);
    opbench::handleEndings();
    for (int i = 0; i < times; ++i) ::raise(SIGINT);
    ::_exit(opbench::endedBy());
  }
  ::close(theirs);
  Ended ended;
  std::array<char, 256> part{};
  for (ssize_t count = 0; (count = ::read(ours, part.data(), part.size())) > 0;)
    ended.text.append(part.data(), static_cast<size_t>(count));
  ::close(ours);
  REQUIRE(::waitpid(pid, &ended.status, 0) == pid);
  return ended;
}

}  // namespace

TEST_CASE("the first Ctrl-C is noted, and says at a terminal that a second one ends the program at once") {
  const Ended once = endedBy(1, true);
  CHECK(once.text == "\r\nopbench: the run ends after the sample at hand; a second signal ends it at once\r\n");
  REQUIRE(WIFEXITED(once.status));
  CHECK(WEXITSTATUS(once.status) == SIGINT);
  const Ended twice = endedBy(2, true);
  REQUIRE(WIFSIGNALED(twice.status));
  CHECK(WTERMSIG(twice.status) == SIGINT);
}

TEST_CASE("a log is told nothing") {
  const Ended ended = endedBy(1, false);
  CHECK(ended.text.empty());
  REQUIRE(WIFEXITED(ended.status));
  CHECK(WEXITSTATUS(ended.status) == SIGINT);
}
