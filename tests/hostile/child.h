#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "inputs/sample.h"
#include "tests/hostile/sandbox.h"

namespace hostile {

/// What a child tells its parent, in memory that both have.
struct Report {
  std::atomic<int64_t> next{0};     ///< the call at hand, or behind the last one
  std::atomic<int64_t> ran{0};      ///< calls that gave results
  std::atomic<int64_t> refused{0};  ///< those that opbench refused when they were bound
  std::atomic<int64_t> failed{0};   ///< those that ATen refused
  std::atomic<bool> hasStarted{false};
  std::atomic<bool> isFiltered{false};  ///< whether the kernel watches
  std::atomic<int> systemCall{-1};      ///< the number of a system call that none of them may make
  char breach[256] = {};                ///< what else must not be
};

/// The status of a child that found a breach itself.
inline constexpr int breachStatus = 99;

/// What a child does once it is confined.
using Act = std::function<void(Report&)>;

/// Moves this process, a child, into the sandbox, has the kernel watch it if `isWatched`, acts, and ends.
[[noreturn]] void confine(const Sandbox& sandbox, bool isWatched, Report& report, const Act& act);

/// Runs calls one after another, from `report.next` on. A call that takes too long ends the process by a signal.
void runCalls(const std::vector<inputs::Sample>& calls, Report& report);

}  // namespace hostile
