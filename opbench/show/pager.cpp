#include "opbench/show/pager.h"

#include <sys/wait.h>

#include <csignal>
#include <cstdio>

namespace opbench::show {

void page(const std::string& text, const std::string& command, std::ostream& out) {
  constexpr int notFound = 127;  // a shell's status
  out << std::flush;
  FILE* pipe = command.empty() ? nullptr : popen(command.c_str(), "w");
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // of this process: the pager has its own
  if (pipe != nullptr) std::fputs(text.c_str(), pipe);
  const int status = pipe == nullptr ? 0 : pclose(pipe);
  std::signal(SIGPIPE, before);
  const bool isShown = pipe != nullptr && !(WIFEXITED(status) && WEXITSTATUS(status) == notFound);
  if (!isShown) out << text << std::flush;
}

}  // namespace opbench::show
