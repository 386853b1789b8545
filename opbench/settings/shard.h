#pragma once

#include <string>

namespace opbench {

/// One of several parts of a sweep, each raced by a run of its own.
struct Shard {
  int number = 1;  ///< from 1 to `count`
  int count = 1;
  bool operator==(const Shard&) const = default;
};

/// Reads `2/8`. Errors: Input.
Shard shardFromText(const std::string& text);
/// `2/8`
std::string toText(const Shard& shard);

/// The variables that schedulers set for a run, empty where they set none.
struct Schedulers {
  std::string slurmTask, slurmCount, slurmFirst, slurmStep;  ///< SLURM_ARRAY_TASK_ID, _COUNT, _MIN and _STEP
  std::string rank, worldSize;                               ///< RANK and WORLD_SIZE, of torchrun and its like
};
/// The shard that a task of Slurm's job array is, the whole outside of one. Errors: Input, for what is no number, and for an
/// array that does not begin at 0 or 1: it may be some tasks of another one, handed in once more.
Shard shardOfArray(const Schedulers& schedulers);
/// The shard that torchrun and its like mean. Errors: Input, for what is no number or not there.
Shard shardOfRank(const Schedulers& schedulers);

}  // namespace opbench
