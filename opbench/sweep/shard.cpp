#include "opbench/sweep/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "inputs/operator_name.h"
#include "ir/error.h"
#include "opbench/select/select.h"

namespace opbench {
namespace {

std::optional<int> numberOf(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

int variable(const char* name, const std::string& text) {
  const auto number = numberOf(text);
  if (!number) ir::fail(ir::ErrorKind::Input, "{} must be a number, got '{}'", name, text);
  return *number;
}

/// Seconds that a sample takes, about: to time it, and to draw and check its data.
double costOf(const inputs::Sample& sample) {
  constexpr double timing = 1, network = 60, bytesPerSecond = 2e8;
  return (inputs::isNetwork(sample.op) ? network : timing) + static_cast<double>(inputs::argumentBytes(sample)) / bytesPerSecond;
}

Shard checked(const Shard& shard, const std::string& what) {
  if (shard.count < 1 || shard.number < 1 || shard.number > shard.count)
    ir::fail(ir::ErrorKind::Input, "{} is I/N with I from 1 to N, not {}", what, toText(shard));
  return shard;
}

}  // namespace

Shard shardFromText(const std::string& text) {
  const size_t slash = text.find('/');
  const auto number = numberOf(text.substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : numberOf(text.substr(slash + 1));
  if (!number || !count) ir::fail(ir::ErrorKind::Input, "--shard must be I/N, as in 2/8, got '{}'", text);
  return checked({*number, *count}, "--shard");
}

std::string toText(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.count); }

Shard shardOfArray(const Schedulers& schedulers) {
  if (schedulers.slurmTask.empty() || schedulers.slurmCount.empty()) return {};
  const int task = variable("SLURM_ARRAY_TASK_ID", schedulers.slurmTask);
  const int count = variable("SLURM_ARRAY_TASK_COUNT", schedulers.slurmCount);
  const int first = schedulers.slurmFirst.empty() ? 0 : variable("SLURM_ARRAY_TASK_MIN", schedulers.slurmFirst);
  const int step = schedulers.slurmStep.empty() ? 1 : std::max(1, variable("SLURM_ARRAY_TASK_STEP", schedulers.slurmStep));
  if (first > 1)
    ir::fail(
        ir::ErrorKind::Input,
        "the job array begins at task {}: a task of an earlier array that is handed in once more needs its --shard I/N, as the "
        "earlier one had it",
        first);
  return checked({(task - first) / step + 1, count}, "the shard of SLURM_ARRAY_TASK_ID and _COUNT");
}

Shard shardOfRank(const Schedulers& schedulers) {
  return checked({variable("RANK", schedulers.rank) + 1, variable("WORLD_SIZE", schedulers.worldSize)},
                 "the shard of RANK and WORLD_SIZE");
}

std::vector<int> samplesOf(const Shard& shard, const std::vector<inputs::Sample>& samples) {
  std::vector<int> order(samples.size());
  std::iota(order.begin(), order.end(), 1);
  std::vector<double> costs{0};
  for (const inputs::Sample& sample : samples) costs.push_back(costOf(sample));
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return costs[static_cast<size_t>(a)] > costs[static_cast<size_t>(b)]; });
  // The longest first, each to the shard that has the least to do so far.
  std::vector<double> loads(static_cast<size_t>(shard.count));
  std::vector<int> ours;
  for (const int number : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += costs[static_cast<size_t>(number)];
    if (least - loads.begin() == shard.number - 1) ours.push_back(number);
  }
  std::sort(ours.begin(), ours.end());
  return ours;
}

}  // namespace opbench
