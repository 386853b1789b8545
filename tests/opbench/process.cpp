#include "tests/opbench/process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/opbench/temporary_folder.h"

namespace tests {

std::vector<char*> pointersTo(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Ended runProgram(std::vector<std::string> words, const std::filesystem::path& folder, std::vector<std::string> variables) {
  const TemporaryFolder output;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, 1, (output.path / "out").c_str(), O_WRONLY | O_CREAT, 0666);
  posix_spawn_file_actions_addopen(&actions, 2, (output.path / "err").c_str(), O_WRONLY | O_CREAT, 0666);
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, words.front().c_str(), &actions, nullptr, pointersTo(words).data(), pointersTo(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {127, "", ""};
  int status = 0;
  waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), contentOf(output.path / "out"),
          contentOf(output.path / "err")};
}

bool hasPython() {
  const bool has = runProgram({"python3", "-c", ""}, ".").status == 0;
  if (!has) MESSAGE("there is no python3: what it would run is not tried");
  return has;
}

}  // namespace tests
