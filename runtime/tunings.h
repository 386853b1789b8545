#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/target.h"
#include "lowering/analysis/loop_nest.h"
#include "lowering/heuristics/schedule.h"
#include "runtime/build/cache.h"

namespace runtime {

/// A schedule that was measured to be the fastest.
struct Tuned {
  std::string schedule;  ///< its text
  double gain = 1;       ///< the time of the rules' choice over its own
};

/// Schedules that were found by measuring, in the file `tuning.jsonl` of the cache's folder, shared by concurrent processes: it
/// is replaced as a whole, with what others have added since it was read.
class Tunings {
 public:
  /// Reads the file, if there is one; a cache that keeps nothing has what is found last as long as this process.
  explicit Tunings(Cache cache = Cache());

  std::optional<Tuned> find(const std::string& key) const;
  /// Stores a schedule under a key; `kernel` and `device` are for people who read the file. A disk that refuses costs the
  /// entry, not the run.
  void put(const std::string& key, const Tuned& tuned, const std::string& kernel, const std::string& device);

  /// What is the matter with the file, in one line; empty where all of it could be read.
  const std::string& complaint() const { return complaint_; }

 private:
  /// The lines of the file by their keys; what cannot be read is left out and complained about.
  std::map<std::string, std::string> readLines();

  const Cache cache_;
  std::map<std::string, Tuned> found_;
  std::string complaint_;
};

/// What measured a schedule.
struct TuningPlace {
  const ir::Target& target;
  std::string device;    ///< its name
  std::string software;  ///< Device::software
  std::string opbench;   ///< its build (opbench/cli/version.h)
};

/// The key of one of a call's loop nests: another one where any of them, the schedule of another one, the candidates or the place
/// differ.
std::string tuningKey(const std::vector<lowering::LoopNest>& nests,
                      const std::vector<std::optional<lowering::Schedule>>& schedules, size_t nest,
                      const std::vector<lowering::Schedule>& candidates, const TuningPlace& place);

}  // namespace runtime
