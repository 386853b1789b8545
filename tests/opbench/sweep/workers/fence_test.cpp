// What a process that runs a program of somebody else may still do, tried by a child.
#include "opbench/process/fence.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "tests/opbench/temporary_folder.h"

using namespace opbench;

namespace {

/// A folder of files, one of its folders open to a child that is fenced in.
struct FenceBed {
  FenceBed() {
    for (const char* folder : {"open", "closed"}) std::filesystem::create_directory(file(folder));
    for (const char* name : {"open/kept", "closed/kept"}) std::ofstream(file(name)) << "kept";
  }
  std::string file(const std::string& name) const { return folder.path / name; }

  /// Whether a child that has these fences may do something: it returns what system calls do, less than 0 where it may not.
  bool may(const std::function<int()>& act, bool hasCalls = false) const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const bool isFenced = hasCalls ? fenceCalls() : fenceFiles({file("open")});
      ::_exit(!isFenced ? 2 : act() < 0 ? 1 : 0);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2) MESSAGE("this kernel has no such fence");
    return WEXITSTATUS(status) == 0;
  }
  bool mayCall(const std::function<int()>& act) const { return may(act, true); }

  tests::TemporaryFolder folder;
};

bool hasFileFence() {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(fenceFiles({}) ? 0 : 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status == 0;
}

}  // namespace

TEST_SUITE("fences") {
  TEST_CASE("files are written in the folders of the run alone, and read everywhere") {
    if (!hasFileFence()) {
      MESSAGE("this kernel has no Landlock");
      return;
    }
    const FenceBed bed;
    const std::string kept = bed.file("closed/kept"), made = bed.file("closed/made");
    const auto opens = [](const std::string& path, int flags) { return [=] { return ::open(path.c_str(), flags, 0600); }; };
    CHECK(bed.may(opens(kept, O_RDONLY)));
    CHECK(bed.may(opens(bed.file("open/kept"), O_RDWR)));
    CHECK(bed.may(opens(bed.file("open/made"), O_WRONLY | O_CREAT)));
    CHECK(bed.may(opens("/dev/null", O_RDWR)));
    CHECK_FALSE(bed.may(opens(kept, O_WRONLY)));
    CHECK_FALSE(bed.may(opens(kept, O_RDWR | O_APPEND)));
    CHECK_FALSE(bed.may(opens(kept, O_RDONLY | O_TRUNC)));
    CHECK_FALSE(bed.may(opens(made, O_WRONLY | O_CREAT)));
    CHECK_FALSE(bed.may(opens("/dev/shm", O_RDWR | O_TMPFILE)));
    CHECK_FALSE(bed.may([&] { return ::truncate(kept.c_str(), 0); }));
    CHECK_FALSE(bed.may([&] { return ::unlink(kept.c_str()); }));
    CHECK_FALSE(bed.may([&] { return ::rename(kept.c_str(), bed.file("open/moved").c_str()); }));
    CHECK_FALSE(bed.may([&] { return ::rename(bed.file("open/kept").c_str(), made.c_str()); }));
    CHECK_FALSE(bed.may([&] { return ::link(bed.file("open/kept").c_str(), made.c_str()); }));
    CHECK_FALSE(bed.may([&] { return ::symlink("kept", made.c_str()); }));
    CHECK_FALSE(bed.may([&] { return ::mkdir(made.c_str(), 0700); }));
    CHECK_FALSE(bed.may([&] { return ::mkfifo(made.c_str(), 0600); }));
    CHECK_FALSE(bed.may([&] {  // neither do threads
      int result = 0;
      std::thread([&] { result = ::open(kept.c_str(), O_WRONLY); }).join();
      return result;
    }));
    CHECK(tests::contentOf(kept) == "kept");
  }

  TEST_CASE("no program is started, no connection opened, no other process signalled; threads and memory are to be had") {
    const FenceBed bed;
    const auto runs = [] { return ::execl("/bin/true", "true", static_cast<char*>(nullptr)); };
    if (!bed.mayCall([] { return 0; })) return;
    CHECK(bed.mayCall([] {
      std::thread([] {}).join();
      return ::raise(SIGCONT);
    }));
    CHECK_FALSE(bed.mayCall(runs));
    CHECK_FALSE(bed.mayCall([] {
      const pid_t pid = ::fork();
      if (pid == 0) ::_exit(0);
      return pid;
    }));
    for (const int family : {AF_INET, AF_UNIX}) CHECK_FALSE(bed.mayCall([&] { return ::socket(family, SOCK_STREAM, 0); }));
    CHECK_FALSE(bed.mayCall([] { return ::kill(::getppid(), 0); }));
    CHECK_FALSE(bed.mayCall([&] { return ::chmod(bed.file("open/kept").c_str(), 0777); }));
  }

  TEST_CASE("threads that were there before lose the same calls") {
    const pid_t pid = ::fork();
    if (pid == 0) {
      std::atomic<bool> isFenced = false;
      std::atomic<int> made = 0;
      std::thread early([&] {
        while (!isFenced) std::this_thread::yield();
        made = ::socket(AF_UNIX, SOCK_STREAM, 0);
      });
      const bool hasFence = fenceCalls();
      isFenced = true;
      early.join();
      ::_exit(!hasFence || made < 0 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    CHECK(status == 0);
  }

  TEST_CASE("what is missing is named") {
    CHECK(missingFences(true, true).empty());
    CHECK(missingFences(false, true) == "Landlock");
    CHECK(missingFences(true, false) == "seccomp");
    CHECK(missingFences(false, false) == "Landlock and seccomp");
  }
}
