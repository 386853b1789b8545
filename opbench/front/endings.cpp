#include "opbench/front/endings.h"

#include <array>
#include <csignal>

namespace opbench {
namespace {

constexpr std::array endings{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t noted = 0;

void onEnding(int number) {
  noted = number;
  for (const int ending : endings) std::signal(ending, SIG_DFL);
}

}  // namespace

void handleEndings() {
  for (const int ending : endings)
    if (std::signal(ending, onEnding) == SIG_IGN) std::signal(ending, SIG_IGN);
}

int endedBy() { return noted; }

}  // namespace opbench
