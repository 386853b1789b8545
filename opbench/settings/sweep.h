#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opbench/results/row.h"
#include "opbench/settings/shard.h"
#include "runtime/build/cache.h"

namespace opbench {

/// How the samples of a run are shared out to processes, and gone on with.
struct SweepSettings {
  bool freshWorkers = false;           ///< each sample has a worker of its own
  bool inProcess = false;              ///< samples are raced in this process, not in workers
  std::optional<int> compilers;        ///< processes that compile ahead of workers; nothing leaves the number to the machine
  std::string workerProgram;           ///< of workers and compilers; empty is this one
  std::vector<int> processors;         ///< processors that a worker or compiler of a CUDA device is to use; empty is all
  std::optional<double> startTimeout;  ///< seconds that a worker may take to open its device; nothing follows from `timeout`
  std::vector<std::string> devices;    ///< a worker each, which share the samples; empty is one worker on `device`
  Shard shard;                         ///< of the samples that are selected
  bool isArrayTask = false;            ///< whether it is so by the variables of a job array, and not by the command line
  int samples = 0;                     ///< of the sweep, set once they are selected
  Recorded recorded;                   ///< the samples they were selected from
  std::string selection;               ///< selectionArguments() of the run, in a worker as well
  std::string started;                 ///< when the run began, in UTC
  bool resume = false;                 ///< whether what `json` holds already is not raced again
  bool force = false;                  ///< whether results of another build, other software or another device go on
  std::string timeline;                ///< the trace of all processes (opbench/timeline); empty is none
  int maxCases = 20;                   ///< that a run writes; 0 is no limit
  runtime::CacheSettings cache;        ///< of compiled kernels, what tuning found and what was measured
};

}  // namespace opbench
