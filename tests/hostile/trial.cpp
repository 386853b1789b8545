#include "tests/hostile/trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <new>
#include <stdexcept>

#include "inputs/operator_name.h"
#include "tests/hostile/child.h"

namespace hostile {
namespace {

/// Memory that this process has with its children.
class SharedReport {
 public:
  SharedReport() {
    void* memory = ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory to share");
    report_ = new (memory) Report;
  }
  ~SharedReport() { ::munmap(report_, sizeof(Report)); }
  SharedReport(const SharedReport&) = delete;
  SharedReport& operator=(const SharedReport&) = delete;

  Report& operator*() { return *report_; }
  Report* operator->() { return report_; }

 private:
  Report* report_;
};

/// A file without a name, for what a child prints.
class Printed {
 public:
  Printed() : number_(::memfd_create("printed", MFD_CLOEXEC)) {}
  ~Printed() { ::close(number_); }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

  int number() const { return number_; }
  std::string text() const {
    std::string text(200, '\0');
    text.resize(static_cast<size_t>(std::max<ssize_t>(0, ::pread(number_, text.data(), text.size(), 0))));
    return text;
  }

 private:
  int number_;
};

/// The calls that a reader hands on, and those that it should have kept.
std::vector<inputs::Sample> callsOf(const Log& log, Tally& tally) {
  std::vector<inputs::Sample> calls = inputs::parseFile(log.text, "hostile", "hostile").samples;
  tally.unread += std::max<int64_t>(0, std::ssize(log.calls) - std::ssize(calls));
  for (const inputs::Sample& call : log.calls)
    if (inputs::refusalOf(call.op)) calls.push_back(call);
  return calls;
}

/// The wait status of a child that acts, confined.
int runChild(const Sandbox& sandbox, bool isWatched, Report& report, const Printed& printed, const Act& act) {
  report.hasStarted = false;
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("cannot start a process");
  if (pid == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, 0);
    ::dup2(printed.number(), 1);
    ::dup2(nothing, 2);
    try {
      confine(sandbox, isWatched, report, act);
    } catch (...) {
      _exit(1);
    }
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
  }
  if (!report.hasStarted) throw std::runtime_error(fmt::format("a child ended before it was confined (status {:#x})", status));
  return status;
}

std::optional<std::string> breachOf(Report& report, const Sandbox& sandbox, const Printed& printed) {
  if (report.systemCall >= 0) return fmt::format("system call {}", report.systemCall.load());
  if (report.breach[0] != '\0') return report.breach;
  if (const auto change = sandbox.change()) return change;
  if (const std::string text = printed.text(); !text.empty()) return fmt::format("printed '{}'", text);
  return std::nullopt;
}

std::string described(const std::string& breach, const std::vector<inputs::Sample>& calls, int64_t at) {
  if (at >= std::ssize(calls)) return breach;
  const inputs::Sample& call = calls[static_cast<size_t>(at)];
  return fmt::format("{}, at the latest in\nOperator: {}\ncnt: 1, {}", breach, call.op, toText(call));
}

}  // namespace

std::optional<std::string> tryLog(const Log& log, const Sandbox& sandbox, Tally& tally) {
  const std::vector<inputs::Sample> calls = callsOf(log, tally);
  SharedReport report;
  const Printed printed;
  while (report->next < std::ssize(calls)) {
    const int status = runChild(sandbox, true, *report, printed, [&](Report& shared) { runCalls(calls, shared); });
    tally.isFiltered = tally.isFiltered && report->isFiltered;
    if (const auto breach = breachOf(*report, sandbox, printed)) return described(*breach, calls, report->next);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    if (WIFEXITED(status)) return described(fmt::format("exit with status {}", WEXITSTATUS(status)), calls, report->next);
    const bool isLate = WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM);
    ++(isLate ? tally.hung : tally.crashed);
    ++tally.lost[calls[static_cast<size_t>(report->next++)].op];
  }
  ++tally.logs;
  tally.calls += std::ssize(calls);
  tally.ran += report->ran;
  tally.refused += report->refused;
  tally.failed += report->failed;
  return std::nullopt;
}

std::optional<std::string> unnoticed() {
  const auto isNoticed = [](bool isWatched, const Act& act) {
    const Sandbox sandbox;
    SharedReport report;
    const Printed printed;
    runChild(sandbox, isWatched, *report, printed, act);
    return breachOf(*report, sandbox, printed).has_value();
  };
  const Act makeFile = [](Report&) { std::ofstream("made.bin") << "made"; };
  if (!isNoticed(true, makeFile)) return "a system call that makes a file";
  if (!isNoticed(false, makeFile)) return "a file in the folder";
  if (!isNoticed(true, [](Report&) { std::cout << "printed"; })) return "a printed text";
  return std::nullopt;
}

}  // namespace hostile
