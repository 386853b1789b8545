#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "runtime/cuda/flush.h"
#include "runtime/cuda/graph.h"
#include "runtime/device.h"
#include "runtime/torch_state.h"

namespace runtime {

/// A pair of events around timed work.
class EventPair {
 public:
  EventPair();
  ~EventPair();
  EventPair(EventPair&& other) noexcept;
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;

  void recordStart(cudaStream_t stream);
  void recordStop(cudaStream_t stream);
  /// Seconds between the two, once the stream has passed the second.
  double seconds() const;

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

/// A callable captured in a CUDA graph; where it cannot be, called directly.
class CudaTrial : public Trial {
 public:
  /// Warms the callable up and captures it on the current stream. `flush` empties L2 before each timed run and outlives this.
  CudaTrial(Callable& callable, Call& call, CacheFlush& flush);

  TensorList run() override;
  double seconds() override;
  void time(int n, std::vector<double>& times) override;
  int kernelNodes() const override { return graph_ ? graph_->workNodes() : -1; }

 private:
  void warmUp();
  void capture();
  void findOwned(const TensorList& earlier);
  void start(cudaStream_t stream);

  Callable& callable_;
  Call& call_;
  CacheFlush& flush_;
  std::unique_ptr<CapturedGraph> graph_;
  TensorList outputs_;
  std::vector<at::Tensor> owned_;  ///< outputs that alias no argument, in memory that each replay writes again
  std::vector<EventPair> events_;
};

}  // namespace runtime
