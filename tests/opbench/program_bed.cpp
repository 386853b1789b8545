#include "tests/opbench/program_bed.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include "opbench/results/sample_result.h"
#include "tests/opbench/known_ceilings.h"
#include "tests/opbench/process.h"

namespace tests {

using namespace opbench;
namespace fs = std::filesystem;

ProgramBed::ProgramBed(int samples, bool hasCache) {
  std::ofstream file(folder.path / "samples.txt");
  file << "Operator: aten.neg.default\n";
  for (int n = 1; n <= samples; ++n) file << "cnt: " << samples - n + 1 << ", ((T([" << n << ", 8], f32),), {})\n";
  if (hasCache) putCeilings(cacheSettings());
}

pid_t ProgramBed::launch(std::vector<std::string> words, std::vector<std::string> variables, const std::string& output) const {
  words.insert(words.begin(), "opbench");
  variables.push_back("XDG_STATE_HOME=" + (folder.path / "state").string());
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, (output.empty() ? folder.path / "out" : fs::path(output)).c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&actions, 2, (folder.path / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const fs::path path = fs::read_symlink("/proc/self/exe").parent_path() / "opbench";
  pid_t pid = -1;
  REQUIRE_MESSAGE(posix_spawn(&pid, path.c_str(), &actions, nullptr, pointersTo(words).data(), pointersTo(variables).data()) == 0,
                  path);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

pid_t ProgramBed::start(const std::vector<std::string>& extra, const std::vector<std::string>& variables) const {
  std::vector<std::string> words{
      "--inp-file", folder.path / "samples.txt", "--max-samples", "0", "--threads", "1", "--max-time", "0.001",
      "--cache",    cacheSettings().folder,      "--resume"};
  const auto says = [&](const char* option) { return std::find(extra.begin(), extra.end(), option) != extra.end(); };
  if (!says("--json")) words.insert(words.end(), {"--json", json()});
  // Where nothing is said of compilers one is enough: the start of a process takes longer than all that it compiles.
  if (!says("--compilers") && !says("--in-process")) words.insert(words.end(), {"--compilers", "1"});
  if (!says("--device") && !says("--devices")) words.insert(words.end(), {"--device", "cpu"});
  words.insert(words.end(), words_.begin(), words_.end());
  words.insert(words.end(), extra.begin(), extra.end());
  std::vector<std::string> all = variables_;
  all.insert(all.end(), variables.begin(), variables.end());
  return launch(words, all);
}

int ProgramBed::wait(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::map<int, std::string> ProgramBed::statuses() const {
  std::map<int, std::string> found;
  std::ifstream file(json());
  results::readSampleResults(file, json(), 2, [&](const results::SampleResult& result) {
    const bool isNew = found.emplace(result.row.index, name(result.row.outcomes[1].status)).second;
    CHECK_MESSAGE(isNew, result.row.index);
  });
  return found;
}

std::map<int, std::string> ProgramBed::compilations() const {
  std::map<int, std::string> found;
  std::ifstream file(json());
  results::readSampleResults(file, json(), 2, [&](const results::SampleResult& result) {
    const Outcome& outcome = result.row.outcomes[1];
    std::string& what = found[result.row.index];
    what = !outcome.precompileMiss.empty() ? outcome.precompileMiss : outcome.isPrecompiled ? "precompiled" : "here";
    // A second race finds what the first one compiled, unless that was done ahead of both.
    if (outcome.cached && (outcome.isPrecompiled || result.row.remeasured.empty())) what += " cached";
    if (outcome.kernels > 0) CHECK(outcome.compileMs > 0);
  });
  return found;
}

std::string ProgramBed::reasonOf(int index) const {
  std::string reason;
  std::ifstream file(json());
  results::readSampleResults(file, json(), 2, [&](const results::SampleResult& result) {
    if (result.row.index == index) reason = result.row.outcomes[1].reason;
  });
  return reason;
}

std::map<int, std::string> all(int samples, const std::string& what) {
  std::map<int, std::string> texts;
  for (int i = 1; i <= samples; ++i) texts[i] = what;
  return texts;
}

std::map<int, std::string> allOk(int samples) { return all(samples, "ok"); }

std::string patience() {
  static std::string text;
  if (text.empty()) {
    const auto start = std::chrono::steady_clock::now();
    CHECK(ProgramBed(1).run({"--compilers", "0"}) == 0);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    text = fmt::format("{}", std::ceil(10 * (2 + 3 * took.count())) / 10);
  }
  return text;
}

std::vector<pid_t> childrenOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

void sleepFor(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

bool hasEnded(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

bool waitForBytes(const fs::path& file, pid_t pid, size_t bytes) {
  for (;;) {
    std::error_code error;
    if (fs::file_size(file, error) >= bytes && !error) return true;
    if (hasEnded(pid)) return false;
    sleepFor(2);
  }
}

}  // namespace tests
