#include "opbench/sweep/workers/worker_slot.h"

#include <algorithm>
#include <utility>

namespace opbench {

void WorkerSlot::start(const std::string& program, const std::vector<std::string>& arguments, double seconds) {
  worker.emplace(program, arguments);
  isReady = false;
  ++starts;
  deadline = deadlineAfter(seconds);
}

void WorkerSlot::stop() {
  worker.reset();
  isReady = false;
}

void WorkerSlot::watch(std::vector<pollfd>& files, Clock::time_point& latest) const {
  if (!isBusy()) return;
  files.push_back({worker->channel(), POLLIN, 0});
  if (worker->errors() >= 0) files.push_back({worker->errors(), POLLIN, 0});
  latest = std::min(latest, deadline);
}

Attempt WorkerSlot::takeAttempt() { return *std::exchange(attempt, std::nullopt); }

}  // namespace opbench
