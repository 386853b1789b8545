#include "opbench/front/endings.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>

namespace opbench {
namespace {

constexpr std::array endings{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t noted = 0;

constexpr std::string_view whatComes = "\nopbench: the run ends after the sample at hand; a second signal ends it at once\n";

/// Whoever waits at a terminal is told what comes: a sample may take minutes.
void onEnding(int number) {
  noted = number;
  for (const int ending : endings) std::signal(ending, SIG_DFL);
  if (::isatty(STDERR_FILENO) == 0) return;
  [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, whatComes.data(), whatComes.size());
}

}  // namespace

void handleEndings() {
  for (const int ending : endings)
    if (std::signal(ending, onEnding) == SIG_IGN) std::signal(ending, SIG_IGN);
}

int endedBy() { return noted; }

}  // namespace opbench
