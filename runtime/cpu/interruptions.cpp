#include "runtime/cpu/interruptions.h"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double share = 0.01;
constexpr std::chrono::milliseconds longest{1};  // of a run in which whatever is lost is more than that share

/// How often the system has taken a processor from a thread of this process.
int64_t switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

/// Seconds that the threads of this process have waited for a processor, all together; nothing where Linux does not tell.
std::optional<double> lostSeconds() {
  constexpr double nano = 1e-9;
  int64_t all = 0;
  bool isKnown = false;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    int64_t ran = 0, waited = 0;
    if (!(std::ifstream(thread.path() / "schedstat") >> ran >> waited)) continue;
    all += waited;
    isKnown = true;
  }
  return isKnown ? std::optional(static_cast<double>(all) * nano) : std::nullopt;
}

}  // namespace

int64_t Interruptions::count() {
  const int64_t taken = switches();
  const Clock::duration since = Clock::now() - asked_;
  const bool isLong = since > longest;
  // What was lost in a run is what was lost after it and had not been before.
  const std::optional<double> lost = isLong || wasLong_ ? lostSeconds() : std::nullopt;
  const bool isKnown = isLong && lost && lost_;
  const bool isLittle = isKnown && *lost - *lost_ <= share * std::chrono::duration<double>(since).count();
  if (taken != switches_ && !isLittle) ++count_;
  switches_ = taken;
  lost_ = lost;
  wasLong_ = isLong;
  asked_ = Clock::now();
  return count_;
}

}  // namespace runtime
