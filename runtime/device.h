#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel_source.h"
#include "ir/target.h"
#include "runtime/build/cache.h"
#include "runtime/callable.h"
#include "runtime/environment.h"
#include "runtime/executable.h"
#include "runtime/measures.h"
#include "runtime/memory.h"
#include "runtime/workload.h"

namespace runtime {

class KernelLoader;

/// The time of a part of a run.
struct PhaseTime {
  std::string name;  ///< `forward`
  double seconds = 0;
};

/// A callable made ready to be timed: captured in a CUDA graph, or called directly on a CPU.
class Trial {
 public:
  virtual ~Trial() = default;
  /// Restores in-place arguments, poisons the outputs (guard.h) where they are ours to write, runs once and waits. The outputs
  /// are this run's until the next one. Like every run, timed or not, it draws random numbers of its own.
  virtual TensorList run() = 0;
  /// Puts the random numbers that its runs draw back to their beginning (Callable::reseed).
  virtual void reseed() {}
  /// The outputs of the latest run, timed or not; of a run that made several calls the outputs of one.
  virtual TensorList outputs() const { return {}; }
  /// Adds one to the captures of the call that take turns when it is timed cold, each with code and memory of its own, until
  /// there are enough; whether it did. Trials that race grow in turn, so that what each has lies spread over the same memory.
  virtual bool grow() { return false; }
  /// How many captures take turns when it is timed by this measure, run by run.
  virtual int captures(Measure /*measure*/) const { return 1; }
  /// Gets ready for runs of a measure; whether there is such a one: not on CUDA back to back for
  /// what is not captured, or runs nothing.
  virtual bool prepareFor(Measure measure) = 0;
  /// Restores in-place arguments (Cold), empties the caches (Cold) and starts one timed run; on CUDA it is queued, so that
  /// the host stays ahead, a cold one once those before it have ended.
  virtual void queue(Measure measure) = 0;
  /// Waits for the runs queued since the last call and appends the time of each in seconds: device time between events on
  /// CUDA, wall time on a CPU.
  virtual void collect(std::vector<double>& seconds) = 0;
  /// Makes one more run, in all like the runs timed by this measure, and waits. Its outputs were poisoned before where they are
  /// ours to write. The result stays until that capture runs again; nothing where the results of such a run are no results of one
  /// call. Runs that are timed afterwards go on as if there had been none. It is the run of a capture, or of the one whose turn
  /// it is.
  virtual TensorList audit(Measure measure, std::optional<int> capture = std::nullopt) = 0;
  /// Starts one run on operands and caches as they are; one that draws random numbers draws others.
  virtual void replay() = 0;
  /// The phases (Callable::phases) of the latest run that was collected; nothing where it has none.
  virtual std::vector<PhaseTime> phases() const { return {}; }
  /// The time of one cold run.
  double seconds() {
    std::vector<double> times;
    queue(Measure::Cold);
    collect(times);
    return times.at(0);
  }
  /// The time of one cold run on data that it has not met, `number` says which, or on known data that were these for a moment;
  /// into outputs that hold nothing of earlier runs where they are ours to write. Afterwards the data are as they were.
  virtual double disturbedSeconds(int /*number*/, bool /*isKnown*/) { return seconds(); }
  /// The time of the kernels alone, cold, without launching them (CUPTI); nothing on a CPU.
  virtual std::optional<KernelTime> kernelTime() { return std::nullopt; }
  /// What the hardware counts in each kernel of a cold run that is called directly (CUPTI).
  virtual Counters counters() { return {{}, "only GPUs have them"}; }
  /// What a run launches that is called directly on CUDA; nothing for all others, whose runs can launch nothing else, or nothing
  /// that is not waited for.
  virtual std::optional<Launches> launches() { return std::nullopt; }
  /// Why its times cannot be believed: what was loaded has changed the clock that times it. Nothing where they can. On CUDA it
  /// makes runs to find out, where the device watches its clock.
  virtual std::string tampering() { return ""; }
  /// Kernels a replay runs, ATen's and memory operations included; -1 where it is not known (CPU).
  virtual int kernelNodes() const { return -1; }
  /// The trial's name in traces.
  std::string label;
  /// Callable::arithmetic and anyStrides, by which its results are judged.
  std::string arithmetic;
  bool anyStrides = false;
  /// Where its runs draw other random numbers than eager: lends a trial of the same code that draws eager's.
  std::function<void(const std::function<void(Trial&)>& use)> withEagersDraws;
  /// Why it is called directly and not captured, where that is so on CUDA.
  std::string notCaptured;
};

/// One piece of hardware that calls run on.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string torchName() const = 0;  ///< `cpu`, `cuda:0`
  virtual std::string name() const = 0;       ///< `NVIDIA H200`, `Intel Xeon ...`
  /// What names it among all that this machine has, whoever sees it under which number; empty for CPUs, which are shared.
  virtual std::string hardware() const { return ""; }
  virtual const ir::Target& target() const = 0;
  virtual ExecutablePtr compile(const ir::KernelSource& program, const Cache& cache) = 0;
  /// What compiles and loads kernels of the user's own; null where none run (CPU).
  virtual KernelLoader* kernelLoader() { return nullptr; }
  /// The machine code in text (PTX or assembly) for dumps: {file extension, text}.
  virtual std::pair<std::string, std::string> assembly(const ir::KernelSource& program) = 0;
  virtual std::unique_ptr<Trial> prepare(Callable& callable, Workload& workload) = 0;
  /// How trials made from now on empty the caches before cold runs. CPUs evict the lines of the operands, whatever is said.
  virtual void setFlush(Flush) {}
  /// Makes it a part of the target, as it was measured on this CPU (ir::Target::streamedBytes).
  virtual void setStreamedBytes(int64_t) {}
  virtual void synchronize() {}
  /// Does `work` as the part that profilers and sanitizers are told of (cudaProfilerStart and Stop).
  virtual void profiled(const std::function<void()>& work) { work(); }

  /// Queues a reading of the multiprocessors' clock behind the work queued so far (CUDA).
  virtual void queueClock() {}
  /// The clock at work, in Hz: on CUDA the mean of the readings queued since the last call and one more, which are waited for; on
  /// a CPU the clock of the calling thread's core. Nothing where it cannot be told.
  virtual std::optional<double> clock() { return std::nullopt; }
  /// The clock it is sold with, in Hz; 0 where not known.
  virtual double ratedClock() const { return 0; }
  /// Gets ready to find out whether the clock that times trials is changed (Trial::tampering), before libraries of the user's are
  /// loaded, which may do that.
  virtual void watchClock() {}
  /// The step, in seconds, of the timer that stamps cold runs; 0 where it is too fine to matter.
  virtual double tick() { return 0; }
  /// How many runs were disturbed so far, asked before each and after it: on a CPU other programs took a processor from this
  /// process for more than a hundredth of the run, on CUDA the device began before the host had queued all of a cold run; 0 where
  /// it cannot be told.
  virtual int64_t interruptions() { return 0; }
  /// Seconds that a hypervisor has kept the processors from working so far; nothing where it cannot be told.
  virtual std::optional<double> stolenSeconds() { return std::nullopt; }
  /// Bytes that its last cache before memory holds; 0 where it cannot be told.
  virtual int64_t lastCacheBytes() { return 0; }
  /// The device's memory; nothing where it cannot be told.
  virtual std::optional<Memory> memory() { return std::nullopt; }
  /// Gives memory back that it keeps for later.
  virtual void releaseMemory() {}
  /// Begins to watch memory; one watch at a time lives on a device, and it ends on the thread that it began on.
  virtual std::unique_ptr<MemoryWatch> watchMemory() = 0;
  /// The energy in joules that the device has taken so far; nothing where it does not count it.
  virtual std::optional<double> energy() { return std::nullopt; }
  /// The machine and the software that times on it depend on.
  virtual Environment environment() { return {}; }
  /// The releases of the software, in one line (softwareText); empty where there is none.
  std::string software() { return softwareText(environment()); }
  /// The GPU's state now; nothing on a CPU, and where the driver does not tell.
  virtual std::optional<GpuState> state() { return std::nullopt; }
  /// What `opbench doctor` prints about it: {what, found}.
  virtual std::vector<std::pair<std::string, std::string>> facts() = 0;
};

}  // namespace runtime
