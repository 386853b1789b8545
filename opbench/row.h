#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/contenders.h"
#include "opbench/race.h"
#include "runtime/callable.h"

namespace opbench {

/// How a contender fared on a sample.
enum class Status {
  Ok,
  Wrong,        ///< its result is not eager's; it is not timed
  Unsupported,  ///< it cannot be run for lack of a dtype, a form or memory
  Error,        ///< something went wrong
  Skipped,      ///< the user's limits leave it out
};
/// `ok`, `wrong`, `unsupported`, `error`, `skipped`.
std::string_view name(Status status);

/// How the schedules of an outcome's kernels were found by measuring.
struct Tuning {
  int candidates = 1;                ///< of the call's schedules, the default among them
  double gain = 1;                   ///< the time with the default schedules over that with those found
  bool isStored = false;             ///< whether an earlier run found them
  std::vector<std::string> refused;  ///< candidates that failed or were wrong, and why
};

/// One contender on one sample.
struct Outcome {
  Contender contender = Contender::Eager;
  Status status = Status::Ok;
  runtime::Kind kind = runtime::Kind::Extern;
  std::string reason;                    ///< why it is not ok, or why it is extern
  std::optional<Timing> timing;          ///< nothing unless it ran
  std::optional<double> speedup;         ///< the baseline's median time over its own
  std::optional<double> bytesPerSecond;  ///< Row::bytes over its median time
  std::optional<double> ofCopy;          ///< that over the device's copy bandwidth
  double compileMs = 0;
  bool cached = false;
  int kernels = 0;       ///< generated ones it launches
  int graphNodes = -1;   ///< kernels its CUDA graph runs; -1 where not known
  std::string schedule;  ///< of the generated kernels: their tilings
  std::optional<Tuning> tuning;
  std::string notCaptured;  ///< why it is not in a CUDA graph
};

/// One sample, with what was found out about it.
struct Row {
  int index = 0;  ///< of the sweep, from 1
  std::string op;
  std::string sample;  ///< as recorded
  std::string brief;   ///< as it was run, short: `f16[2, 3], f16[3]`
  std::string suite;
  std::string file;
  int line = 0;
  int64_t count = 1;
  int64_t bytes = 0;              ///< that the operator must read and write
  std::vector<Outcome> outcomes;  ///< in the contenders' order, the baseline first
};

/// What is the same for all rows of a run.
struct Run {
  std::string device;        ///< `cpu`, `cuda:0`
  std::string deviceName;    ///< `NVIDIA H200`
  double copyBandwidth = 0;  ///< bytes a second, read plus written
  std::string dtype;         ///< `float16`
  uint64_t seed = 0;
  int threads = 0;  ///< of a CPU device; 0 on others
  int repeats = 3;
  std::string version;
  std::vector<Contender> contenders;
};

/// Sets what follows from the timings: speedups over the first contender, and where something is computed bytes a second
/// and their share of a copy's.
void derive(Row& row, double copyBandwidth);

}  // namespace opbench
