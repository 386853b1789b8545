#include "opbench/settings/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "ir/error.h"

namespace opbench {
namespace {

std::optional<int> wholeIn(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

int variable(const char* name, const std::string& text) {
  const auto number = wholeIn(text);
  if (!number) ir::fail(ir::ErrorKind::Input, "{} must be a number, got '{}'", name, text);
  return *number;
}

Shard checked(const Shard& shard, const std::string& what) {
  if (shard.count < 1 || shard.number < 1 || shard.number > shard.count)
    ir::fail(ir::ErrorKind::Input, "{} is I/N with I from 1 to N, not {}", what, toText(shard));
  return shard;
}

}  // namespace

Shard shardFromText(const std::string& text) {
  const size_t slash = text.find('/');
  const auto number = wholeIn(text.substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : wholeIn(text.substr(slash + 1));
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

}  // namespace opbench
