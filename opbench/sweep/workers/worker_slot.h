#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "opbench/process/process.h"
#include "opbench/sweep/messages.h"

namespace opbench {

/// A sample that is being raced, for the first time or once more.
struct Attempt {
  Job job;
  bool isAgain = false;
};

/// A device, and the worker that races on it: one at a time, replaced where a sample kills it.
struct WorkerSlot {
  using Clock = std::chrono::steady_clock;

  std::string device;
  std::vector<int> processors{};  ///< that are the worker's alone, where it does not compute on them itself
  std::optional<Process> worker{};
  bool isReady = false;   ///< the worker has opened its device
  int starts = 0;         ///< since one was ready last
  bool isClosed = false;  ///< no worker starts there any more
  std::optional<Attempt> attempt{};
  Clock::time_point deadline = Clock::time_point::max();

  bool isOpening() const { return worker && !isReady; }
  bool isBusy() const { return attempt || isOpening(); }

  /// Starts a worker, a program with these arguments, which has so many seconds to open its device; 0 is for ever.
  void start(const std::string& program, const std::vector<std::string>& arguments, double seconds);
  /// Ends the worker, where there is one.
  void stop();
  /// Adds what to poll, and when to look again at the latest; nothing where the slot is not busy.
  void watch(std::vector<pollfd>& files, Clock::time_point& latest) const;
  /// Takes the attempt out of the slot, which has one.
  Attempt takeAttempt();
};

}  // namespace opbench
