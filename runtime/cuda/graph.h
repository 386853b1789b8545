#pragma once

#include <ATen/cuda/CUDAGraph.h>

#include <functional>

namespace runtime {

/// What some work queues on the current stream, as a CUDA graph that can be started over and over. Memory that the work
/// allocates is the graph's own, and the same in every replay; so are the random numbers it draws, until `advance`.
class CapturedGraph {
 public:
  /// Captures `work`, which must not wait for the device. Throws what `work` throws, or an Error where CUDA refuses; the
  /// device can be used as before then.
  explicit CapturedGraph(const std::function<void()>& work);

  /// Queues what has the next replay draw other numbers from ATen's generator, where it draws any.
  void advance() { graph_.advance(); }
  /// Queues one replay on `stream`.
  void launch(cudaStream_t stream);
  /// Kernels, copies and fills in one replay.
  int workNodes() const { return workNodes_; }

 private:
  /// torch's graph, with what its replay() does before it starts the graph.
  class Graph : public at::cuda::CUDAGraph {
   public:
    Graph() : at::cuda::CUDAGraph(/*keep_graph=*/true) {}
    void advance();
  };

  void abandon(at::cuda::MempoolId_t pool) noexcept;

  Graph graph_;
  cudaGraphExec_t exec_ = nullptr;
  int workNodes_ = 0;
};

}  // namespace runtime
