#pragma once

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/cuda/barrier.h"
#include "runtime/cuda/device_timer.h"
#include "runtime/cuda/event_pair.h"
#include "runtime/cuda/flush.h"
#include "runtime/cuda/graph.h"
#include "runtime/device.h"
#include "runtime/torch/state.h"

namespace runtime {

/// What the trials of a device share.
struct TrialTools {
  CacheFlush flush;
  Barrier barrier;
  int64_t l2Bytes = 0;
  int64_t lateRuns = 0;                          ///< cold runs that the device began before the host had queued all of them
  std::unique_ptr<DeviceTimer> timer = nullptr;  ///< where code of the user's is loaded, which may change the clock
};

/// A callable captured in a CUDA graph; where it cannot be, called directly.
class CudaTrial : public Trial {
 public:
  /// Warms the callable up and captures it on the current stream. `tools` outlives this.
  CudaTrial(Callable& callable, Workload& workload, TrialTools& tools);

  TensorList run() override;
  void reseed() override { callable_.reseed(); }
  TensorList outputs() const override;
  bool grow() override;
  int captures(Measure measure) const override;
  bool prepareFor(Measure measure) override;
  TensorList audit(Measure measure, std::optional<int> capture) override;
  double disturbedSeconds(int number, bool isKnown) override;
  std::string tampering() override;
  void replay() override;
  void queue(Measure measure) override { queue(measure, {}); }
  void collect(std::vector<double>& seconds) override;
  std::vector<PhaseTime> phases() const override;
  std::optional<KernelTime> kernelTime() override;
  Counters counters() override;
  std::optional<Launches> launches() override;
  int kernelNodes() const override { return isCaptured() ? instances_[0].graph->workNodes() : -1; }

 private:
  /// A timed run: of one call, or of a pair of sequences.
  struct Run {
    Measure measure = Measure::Cold;
    size_t events = 0;  ///< the first of its pairs
  };

  /// One capture. Where its outputs, its arguments and the graph itself lie in memory makes a small kernel up to 4 % faster or
  /// slower, for good: several captures, each with its own, take turns.
  struct Instance {
    std::unique_ptr<CapturedGraph> graph;
    TensorList outputs;
  };

  /// What is queued with a cold run: before the caches are emptied, right before its first event, and right behind its last.
  struct Around {
    std::function<void()> prepare = [] {}, before = [] {}, after = [] {};
  };

  bool isCaptured() const { return !instances_.empty(); }
  void warmUp();
  void capture();
  Instance instance();
  size_t enoughInstances() const;
  int64_t dataBytes() const;  ///< of the arguments and outputs of one run
  void findOwned(const TensorList& earlier);
  void poisonOwned(const TensorList& outputs) const;
  void forget() const;
  TensorList auditSequence();
  void queueSequences(cudaStream_t stream);
  void advance();
  void onPhase();
  void start(cudaStream_t stream);
  Around justInTime(TensorList& found);
  void queue(Measure measure, const Around& around);
  void queueCold(cudaStream_t stream, const Around& around);
  void queueUncaptured(EventPair& pair, cudaStream_t stream, const Around& around);
  EventPair& nextEvents();
  double secondsOf(const Run& run) const;

  Callable& callable_;
  Workload& workload_;
  TrialTools& tools_;
  std::vector<Instance> instances_;
  bool isGrown_ = false;
  size_t turn_ = 0;            ///< the instance that is next
  bool waits_ = false;         ///< the callable waits for the device
  TensorList outputs_;         ///< of the last direct call, or of the first instance
  std::vector<size_t> owned_;  ///< outputs that alias no argument, in memory that each replay writes again
  Sequences sequences_;        ///< for throughput
  std::deque<EventPair> events_;
  size_t usedEvents_ = 0;
  std::vector<Run> queued_;
  std::deque<EventPair> phases_;  ///< of the latest run; a graph records them itself
  size_t phase_ = 0;              ///< that begins next
};

}  // namespace runtime
