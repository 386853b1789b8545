#pragma once

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAFunctions.h>

#include <functional>
#include <memory>
#include <vector>

#include "runtime/callable.h"
#include "runtime/torch/tensor_list.h"

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

/// A graph of several calls, one after another, over sets of buffers that L2 does not hold together.
struct Sequence {
  int calls = 0;
  std::unique_ptr<CapturedGraph> graph;
  std::vector<TensorList> outputs;  ///< of the last calls, one for each set of buffers
};

/// Pairs of a short and a long sequence of the same call. By how much the longer one takes longer is the time of the calls
/// between. The pairs, each with code and outputs of its own, take turns.
class Sequences {
 public:
  struct Pair {
    Sequence few, many;
  };

  /// Makes pairs over `sets` sets of operands until there are `enough`. Throws where one more cannot be made; those before it
  /// stay.
  void make(Callable& callable, int calls, int sets, size_t enough);
  size_t size() const { return pairs_.size(); }
  /// The pair whose turn it is; the next call returns another one.
  const Pair& next();
  /// One that the system's entropy draws.
  const Sequence& drawn() const;
  /// The time of a call, from the times of a short and of a long sequence.
  double secondsOfCall(double few, double many) const;

 private:
  std::vector<Pair> pairs_;
  size_t turn_ = 0;
};

/// While it lives, operators that wait for the device throw instead: they cannot be captured, and are found out before a
/// capture is broken by them.
class RefuseWaiting {
 public:
  RefuseWaiting();
  ~RefuseWaiting();
  RefuseWaiting(const RefuseWaiting&) = delete;
  RefuseWaiting& operator=(const RefuseWaiting&) = delete;

 private:
  c10::cuda::SyncDebugMode before_;
};

/// While it lives, memory is taken from segments of its own, on pages of 2 MB that nothing else lies on.
class OwnPages {
 public:
  OwnPages();
  ~OwnPages();
  OwnPages(const OwnPages&) = delete;
  OwnPages& operator=(const OwnPages&) = delete;

 private:
  c10::DeviceIndex device_ = c10::cuda::current_device();
  at::cuda::MempoolId_t pool_ = at::cuda::graph_pool_handle();
};

}  // namespace runtime
