#pragma once

#include <string>
#include <vector>

namespace runtime {

/// What a run is timed for.
enum class Measure {
  Cold,        ///< one run that finds nothing of its data in the caches
  BackToBack,  ///< one of many runs in a row: on CUDA the time of a further one in a graph, over data that L2 does not hold
               ///< (throughput); on a CPU the mean of several, on warm caches (hot)
};

/// How the caches are emptied before a cold run on CUDA.
enum class Flush {
  Write,  ///< by filling memory: L2 is left full of lines that reads have to write back first
  Read,   ///< by reading memory: L2 is left clean
};

/// What the device itself says of one run.
struct KernelTime {
  double seconds = 0;  ///< from each kernel's or copy's first instruction to its last, summed
  int kernels = 0;     ///< and copies
};

/// What one run starts on a GPU, as the device itself says (CUPTI).
struct Launches {
  std::vector<std::string> kernels;  ///< the names of its kernels and copies, sorted
  int elsewhere = 0;                 ///< how many of these ran on another stream than the one that is timed
};

/// What the counters of the hardware say of one kernel. Shares are from 0 to 1.
struct KernelCounters {
  std::string kernel;       ///< its name
  double bytesRead = 0;     ///< from the device's memory
  double bytesWritten = 0;  ///< to it, while the kernel ran
  double l2Hits = 0;        ///< the share of L2's accesses that found their sector
  double tensorActive = 0;  ///< the share of the cycles in which the tensor cores worked
  double issueActive = 0;   ///< the share of the issue slots that were used
  std::string stall;        ///< what its warps waited for most, in ncu's words: `long_scoreboard`; empty where nothing was issued
  double stallShare = 0;    ///< of all that they waited for
};

/// The counters of the kernels of one cold run, in order, or why there are none.
struct Counters {
  std::vector<KernelCounters> kernels;
  std::string missing;
};

}  // namespace runtime
