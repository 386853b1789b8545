#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/results/accuracy.h"
#include "opbench/results/contenders.h"
#include "opbench/results/device_rates.h"
#include "opbench/results/timing.h"
#include "runtime/environment.h"
#include "runtime/kind.h"
#include "runtime/measures.h"
#include "runtime/memory.h"
#include "runtime/torch/traffic.h"

namespace opbench {

/// The status of a contender on a sample.
enum class Status {
  Ok,
  Wrong,        ///< its result is not eager's; it has no timing
  Impossible,   ///< its time is less than memory or arithmetic allow: a measuring error
  Suspect,      ///< its time may not be the time of its work (suspicion.h)
  Unsupported,  ///< it lacks a dtype or a form
  Error,        ///< something went wrong
  Skipped,      ///< the user's limits leave it out
  Crash,        ///< it ended the process it ran in, or made the device unusable
  Assert,       ///< the same by an assertion of its own that failed, on the host or the device
  Timeout,      ///< it took longer than the user lets it
  Oom,          ///< it needs more memory than there is
};
/// `ok`, `wrong`, `impossible`, `suspect`, `unsupported`, `error`, `skipped`, `crash`, `assert`, `timeout`, `oom`.
std::string_view name(Status status);
std::optional<Status> statusFromName(std::string_view text);

/// A schedule of a kernel that was tried, and its time.
struct Tried {
  int kernel = 0;  ///< of the plan, from 0
  std::string schedule;
  double seconds = 0;  ///< of the whole call with it
};

/// How the schedules of an outcome's kernels were found by measuring.
struct Tuning {
  int candidates = 1;                ///< of the call's schedules, the default among them
  double gain = 1;                   ///< the time with the default schedules over that with those found
  bool isStored = false;             ///< whether an earlier run found them
  std::vector<Tried> tried;          ///< the measurements of this run, a kernel's default first
  std::vector<std::string> refused;  ///< candidates that did not race, and why
};

/// A way to make a library call that was tried, and its time.
struct TriedLibrary {
  std::string library;  ///< empty for ATen's own call
  double seconds = 0;
};

/// How the way to make a library call was found by measuring.
struct LibraryTrial {
  std::string library;               ///< the fastest one; empty for ATen's own call
  double gain = 1;                   ///< the time of ATen's own call over its
  std::vector<TriedLibrary> tried;   ///< libraries that were timed, ATen's own call first
  std::vector<std::string> refused;  ///< libraries that did not race, and why
  bool isStored = false;             ///< whether an earlier run found it
};

/// The products of matrices in one run of a network, in one precision.
struct Products {
  std::string precision;  ///< runtime::CallFlops::precision
  int64_t flops = 0;      ///< floating-point operations (runtime::flopsOf)
  double peak = 0;        ///< the device's rate of large ones a second (productRate); 0 where not known
  bool operator==(const Products&) const = default;
};

/// One contender on one sample.
struct Outcome {
  Contender contender = Contender::Eager;
  Status status = Status::Ok;
  runtime::Kind kind = runtime::Kind::Fallback;
  std::string reason;                             ///< of a status that is not ok, of a fallback, or of cuts
  std::string sibling;                            ///< the call on which it failed, where that is a sibling of the sample's
  std::string caseFolder;                         ///< where its case was written; empty where it was not
  std::optional<Timing> timing;                   ///< of the main measure (mainMeasure); nothing unless it ran and was measured
  std::optional<Timing> secondary;                ///< of the secondary measure (secondaryMeasure), the same
  std::optional<runtime::KernelTime> kernelTime;  ///< where it was asked for
  std::optional<runtime::Counters> counters;      ///< where they were asked for
  std::optional<double> speedup;                  ///< the baseline's time over its own, the median over pairs of runs
  std::optional<double> bytesPerSecond;           ///< Row::bytes over its median time
  std::optional<double> ofRoofline;  ///< Row::rooflineSeconds over its median time, at most 1; nothing where caches hold the data
  std::optional<double> ofCopy;      ///< Row::copySeconds over its median time: 1 is as fast as a copy of the same bytes
  std::optional<double> flopsPerSecond;  ///< operations of Row::products over its median time
  std::optional<double> ofPeak;  ///< the time that they take at their peaks over its median time, at most 1; nothing where
                                 ///< a peak is not known, or was clearly passed
  std::optional<runtime::MemoryPeaks> memory;  ///< of its operands and a run, it alone; nothing where that was not watched
  std::optional<int64_t> plannedBytes;         ///< the part of that whose places its plan fixed (Callable::plannedBytes)
  std::optional<double> firstSeconds;          ///< of its first run, with all that it sets up, in wall time
  std::optional<double> joules;                ///< the energy of a run, the mean of many; nothing where it is not counted
  double compileMs = 0;
  bool cached = false;
  bool isPrecompiled = false;  ///< another process had compiled it, while other samples were timed
  std::string precompileMiss;  ///< why not, where that process failed to compile it or crashed on it
  int kernels = 0;             ///< generated ones it launches
  int graphNodes = -1;         ///< kernels its CUDA graph runs; -1 where not known
  std::string schedule;        ///< the schedules of its generated kernels
  std::optional<Tuning> tuning;
  std::string arithmetic;                    ///< Callable::arithmetic
  std::string library;                       ///< the candidate that makes a library call; empty for ATen's own call
  std::optional<LibraryTrial> libraryTrial;  ///< nothing where there is no choice
  std::string notCaptured;                   ///< why it is not in a CUDA graph
  std::optional<Determinism> determinism;    ///< of two runs; nothing where that was not asked
  std::optional<Accuracy> accuracy;          ///< nothing where no floating results were compared

  bool isVarying() const { return determinism && *determinism != Determinism::Bitwise; }
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
  std::string family;          ///< of its loops (familyOf), or `view`; empty where opbench does not race
  runtime::Traffic traffic;    ///< bytes that the operator must read and write
  double flops = 0;            ///< floating-point operations that its calls need at the least (runtime::operationsOf)
  double rooflineSeconds = 0;  ///< the time on the roofline (opbench/measure/device/ceilings.h)
  double copySeconds = 0;      ///< the time that a copy of as many bytes was measured to take; 0 where not known
  bool isLaunchBound = false;  ///< the baseline takes at most 20 % longer than an empty kernel
  std::optional<Measurement> measurement, secondaryMeasurement;  ///< by measure, without their timings
  std::optional<double> wallSeconds;                             ///< that all of it took; nothing where its process was lost
  std::map<std::string, double> stageSeconds;                    ///< what each stage of its race took of this
  std::optional<double> stolenSeconds;                           ///< the time that a hypervisor took meanwhile
  std::optional<runtime::GpuState> gpu;                          ///< over its race (runtime::between); nothing on a CPU
  std::string data;                                              ///< the distribution of its arguments: `normal`, `normal x 16`
  std::string trivialSolution;  ///< why its check is too weak: `zeros would pass for output 0`; empty where it is not
  std::string doubt;            ///< why eager's own result is not what others were compared with (Verdict::doubt); mostly empty
  std::string notChecked;       ///< why its results were not judged, where the user's configuration says so
  std::string notMeasured;      ///< the measure by which contenders raced and no time was found, and why
  std::string ceilingsRaised;   ///< which ceilings its times raised, and when (raisedText); empty where none
  std::string remeasured;       ///< why a fresh process measured it again (Doubt::why); empty where it did not
  std::string notFenced;  ///< what its program, of a file of the user's, ran without (missingFences); empty where all was there
  std::string retried;    ///< the first failure, where it was raced twice: `crash: signal 9 (Killed)`
  std::vector<Outcome> outcomes;  ///< in the contenders' order, the baseline first

  std::vector<Products> products;                ///< of a network whose baseline is a contender, by precision
  std::vector<runtime::MemoryLine> memoryTrace;  ///< of its baseline, where that was asked for (Workload::traceMemory)

  int64_t bytes() const { return traffic.read + traffic.written; }
  /// Floating-point operations of its products.
  int64_t productFlops() const;
};

/// The recorded samples and calls of a sweep's operators; the sweep races all of them, or a selection.
struct Recorded {
  int64_t samples = 0, calls = 0;
  bool operator==(const Recorded&) const = default;
};

/// The facts that all rows of a run share.
struct Run {
  std::string device;      ///< `cpu`, `cuda:0`
  std::string deviceName;  ///< `NVIDIA H200`
  Ceilings ceilings;       ///< of the device
  CopyTimes copyTimes;     ///< of the device; none where rows are read, not raced
  AANoise aaNoise;         ///< of the device by the main measure
  std::string software;    ///< runtime::Device::software()
  runtime::Flush flush = runtime::Flush::Write;
  std::string dtype;  ///< `float16`
  uint64_t seed = 0;
  int threads = 0;             ///< of a CPU device; 0 on others
  int processors = 0;          ///< that work: a CPU device's threads, a GPU's multiprocessors
  int64_t lastCacheBytes = 0;  ///< Device::lastCacheBytes(); 0 where rows are read, not raced
  int repeats = 0;
  double precision = 0.01;
  bool anyPrecision = false;  ///< times of unequal arithmetic are divided by each other
  bool isAA = false;          ///< contenders race against themselves (A/A), not each other
  bool channelsLast = false;
  runtime::Environment environment;
  std::string started;    ///< the time at which it began, in UTC: `2026-11-25T17:41:15Z`
  std::string version;    ///< versionText()
  std::string selection;  ///< selectionArguments() as one line
  std::string options;    ///< raceArguments() as one line
  std::string rules;      ///< rulesDigest()
  std::string shard;      ///< the part of the sweep that this run is: `2/8`, `1/1` for the whole
  int samples = 0;        ///< of the sweep, wherever they are raced
  Recorded recorded;      ///< the samples they were selected from; zero where not known
  std::vector<Contender> contenders;
};

/// Whether the run is on a GPU.
bool isOnGpu(const Run& run);

/// The main measure is the speedups' measure: cold on CUDA, back to back on a CPU. The secondary measure is the other one.
runtime::Measure mainMeasure(const Run& run);
runtime::Measure secondaryMeasure(const Run& run);
/// The name of a measure in reports and results files: `cold`; `throughput` (CUDA) or `hot` (CPU) for the one back to back.
std::string_view measureName(const Run& run, runtime::Measure measure);

/// Whether a sample failed so that it was raced once more, and did not fail so again.
bool hasRecovered(const Row& row);

/// Puts rows into the order of their samples.
void sortByIndex(std::vector<Row>& rows);

/// Whether other programs interrupted more than a tenth of the runs by the main measure, or left no times by one.
bool isDisturbed(const Row& row);

/// Whether other processes computed on the GPU while the sample was raced.
bool isShared(const Row& row);
/// Whether power or heat held the GPU's clock down while the sample was raced.
bool isCapped(const Row& row);

/// Whether there is no measurable difference from the baseline: the speedup's interval holds 1, or it is within the A/A noise.
bool isSame(const Outcome& outcome, const Run& run);

}  // namespace opbench
