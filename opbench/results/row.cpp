#include "opbench/results/row.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "opbench/text/names.h"

namespace opbench {
namespace {

using runtime::Measure;

constexpr auto statuses = namesOfEnum<Status>({{Status::Ok, "ok"},
                                               {Status::Wrong, "wrong"},
                                               {Status::Impossible, "impossible"},
                                               {Status::Suspect, "suspect"},
                                               {Status::Unsupported, "unsupported"},
                                               {Status::Error, "error"},
                                               {Status::Skipped, "skipped"},
                                               {Status::Crash, "crash"},
                                               {Status::Assert, "assert"},
                                               {Status::Timeout, "timeout"},
                                               {Status::Oom, "oom"}});

}  // namespace

bool isOnGpu(const Run& run) { return run.device.starts_with("cuda"); }

int64_t Row::productFlops() const {
  int64_t sum = 0;
  for (const Products& each : products) sum += each.flops;
  return sum;
}

std::string_view name(Status status) { return statuses.of(status); }

std::optional<Status> statusFromName(std::string_view text) { return statuses.from(text); }

Measure mainMeasure(const Run& run) { return isOnGpu(run) ? Measure::Cold : Measure::BackToBack; }

Measure secondaryMeasure(const Run& run) { return isOnGpu(run) ? Measure::BackToBack : Measure::Cold; }

std::string_view measureName(const Run& run, Measure measure) {
  if (measure == Measure::Cold) return "cold";
  return isOnGpu(run) ? "throughput" : "hot";
}

bool hasRecovered(const Row& row) {
  constexpr std::array fatal{Status::Crash, Status::Assert, Status::Timeout, Status::Oom};
  return !row.retried.empty() && std::none_of(row.outcomes.begin(), row.outcomes.end(), [&](const Outcome& outcome) {
    return std::find(fatal.begin(), fatal.end(), outcome.status) != fatal.end();
  });
}

bool isDisturbed(const Row& row) {
  if (!row.notMeasured.empty()) return true;
  if (!row.measurement) return false;
  int runs = 0;
  for (const Outcome& outcome : row.outcomes) runs += outcome.timing ? outcome.timing->runs : 0;
  return row.measurement->isDisturbed || 10 * row.measurement->interruptions > runs;
}

bool isShared(const Row& row) { return row.gpu && row.gpu->otherProcesses.value_or(0) > 0; }

bool isCapped(const Row& row) {
  if (!row.gpu) return false;
  const runtime::GpuState& gpu = *row.gpu;
  if (gpu.powerCapSeconds || gpu.heatCapSeconds) return gpu.powerCapSeconds.value_or(0) + gpu.heatCapSeconds.value_or(0) > 0;
  return std::any_of(gpu.clockEvents.begin(), gpu.clockEvents.end(), [](const std::string& event) {
    return event.find("power") != std::string::npos || event.find("thermal") != std::string::npos || event == "hw_slowdown";
  });
}

bool isSame(const Outcome& outcome, const Run& run) {
  if (!outcome.speedup) return false;
  const Estimate& ratio = outcome.timing->ratio;
  const bool holdsOne = ratio.interval && ratio.interval->low <= 1 && 1 <= ratio.interval->high;
  return holdsOne || std::abs(ratio.median - 1) < run.aaNoise.of(outcome.timing->median).value_or(0);
}

void sortByIndex(std::vector<Row>& rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.index < b.index; });
}

}  // namespace opbench
