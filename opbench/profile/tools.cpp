#include "opbench/profile/tools.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ir/error.h"

namespace opbench::profile {

const std::vector<std::string>& toolNames() {
  static const std::vector<std::string> names{"ncu", "nsys"};
  return names;
}

std::vector<std::string> underTool(const std::string& tool, const std::string& output, const std::vector<std::string>& command) {
  std::vector<std::string> words{tool};
  if (tool == "nsys")
    words.insert(words.end(), {"profile", "--trace=cuda,nvtx", "--capture-range=cudaProfilerApi", "--cuda-graph-trace=node",
                               "--force-overwrite=true"});
  if (tool == "ncu")
    words.insert(words.end(), {"--set=full", "--profile-from-start=off", "--graph-profiling=node", "--force-overwrite"});
  words.insert(words.end(), {"-o", output});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::vector<std::string> underSanitizer(const std::string& name, const std::vector<std::string>& command) {
  std::vector<std::string> words{"compute-sanitizer", "--tool=" + name, "--error-exitcode=1"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::optional<int> runWords(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ);
  if (error == ENOENT) return std::nullopt;
  if (error != 0) ir::fail(ir::ErrorKind::Input, "cannot run {}: {}", words[0], std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) ir::fail(ir::ErrorKind::Input, "cannot wait for {}: {}", words[0], std::strerror(errno));
  if (!WIFEXITED(status)) ir::fail(ir::ErrorKind::Input, "{} was ended by signal {}", words[0], WTERMSIG(status));
  return WEXITSTATUS(status);
}

}  // namespace opbench::profile
