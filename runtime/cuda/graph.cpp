#include "runtime/cuda/graph.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "runtime/cuda/check.h"

namespace runtime {
namespace {

int countWork(cudaGraph_t graph) {
  size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
  int work = 0;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    if (type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset) ++work;
    if (type == cudaGraphNodeTypeGraph) {
      cudaGraph_t child = nullptr;
      check(cudaGraphChildGraphNodeGetGraph(node, &child), "cudaGraphChildGraphNodeGetGraph");
      work += countWork(child);
    }
  }
  return work;
}

/// Swallows torch's warning that a graph is empty: one of a call that launches nothing is.
class Quiet : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

/// Calls that undo a failed capture: each may find that there is nothing left to undo.
template <typename F>
void attempt(const F& action) noexcept {
  try {
    action();
  } catch (const std::exception&) {
    cudaGetLastError();
  }
}

/// A generator keeps refusing to work outside a capture after one that failed; it gets a new state, which it is seeded in
/// before it is used.
void renewGenerator(c10::DeviceIndex device) {
  const at::Generator& generator = at::cuda::detail::getDefaultCUDAGenerator(device);
  auto fresh = c10::make_intrusive<at::CUDAGeneratorImpl>(device, c10::make_intrusive<at::CUDAGeneratorState>());
  at::check_generator<at::CUDAGeneratorImpl>(generator)->graphsafe_set_state(fresh);
}

/// The seed and the offset that kernels of a graph read. Each capture has its own from torch 2.12 on; before, all of a
/// generator's captures share them.
template <typename State>
std::pair<at::Tensor, at::Tensor> memoryOf(State& state, unsigned long long capture) {
  if constexpr (requires { state.seed_extragraph_; }) {
    return {at::Tensor(state.seed_extragraph_), at::Tensor(state.offset_extragraph_)};
  } else {
    const std::lock_guard lock(state.capture_states_mutex_);
    const auto& own = state.capture_states_.at(capture);
    return {at::Tensor(own->rng_state_seed_extragraph_), at::Tensor(own->rng_state_offset_extragraph_)};
  }
}

}  // namespace

CapturedGraph::CapturedGraph(const std::function<void()>& work) {
  const at::cuda::MempoolId_t pool = at::cuda::graph_pool_handle();
  // Thread-local: other threads may go on calling CUDA while this one captures.
  graph_.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
  try {
    work();
    Quiet quiet;
    const c10::WarningUtils::WarningHandlerGuard guard(&quiet);
    graph_.capture_end();
  } catch (...) {
    abandon(pool);
    throw;
  }
  workNodes_ = countWork(graph_.raw_cuda_graph());
  graph_.instantiate();
  exec_ = graph_.raw_cuda_graph_exec();
}

/// What kernels of the graph draw begins at a seed and an offset in memory, which the generator's other users move on as well.
void CapturedGraph::Graph::advance() {
  for (const auto& [state, drawn] : captured_generator_states_) {
    if (drawn == 0) continue;
    const auto [seed, offset] = memoryOf(*state, capture_id_);
    seed.fill_(static_cast<int64_t>(state->seed_));
    offset.fill_(static_cast<int64_t>(state->philox_offset_per_thread_));
    state->philox_offset_per_thread_ += drawn;
  }
}

void CapturedGraph::abandon(at::cuda::MempoolId_t pool) noexcept {
  const c10::DeviceIndex device = c10::cuda::current_device();
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream().stream();
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &status);
  if (status == cudaStreamCaptureStatusActive) {
    bool ended = false;
    attempt([&] {
      graph_.capture_end();
      ended = true;
    });
    if (ended) return;  // torch has put everything back
  }
  // torch stops at the first thing that fails and leaves the rest as it was during the capture.
  cudaStreamIsCapturing(stream, &status);
  if (status != cudaStreamCaptureStatusNone) {
    cudaGraph_t unfinished = nullptr;
    cudaStreamEndCapture(stream, &unfinished);
    if (unfinished != nullptr) cudaGraphDestroy(unfinished);
  }
  attempt([&] { c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool); });
  attempt([&] { c10::cuda::CUDACachingAllocator::releasePool(device, pool); });
  attempt([&] { renewGenerator(device); });
  cudaGetLastError();
}

// Not through CUDAGraph::replay, which fills the generator's seed with kernels of its own before each launch: they would be
// timed.
void CapturedGraph::launch(cudaStream_t stream) { check(cudaGraphLaunch(exec_, stream), "cudaGraphLaunch"); }

namespace {

/// Outputs live until as many more calls were made as there are sets of operands: they take turns like these.
Sequence sequenceOf(Callable& callable, int calls, int sets) {
  Sequence made;
  made.calls = calls;
  made.graph = std::make_unique<CapturedGraph>([&] {
    for (int i = 0; i < calls; ++i) {
      callable.use(i % sets);
      made.outputs.push_back(callable());
      if (static_cast<int>(made.outputs.size()) > sets) made.outputs.erase(made.outputs.begin());
    }
  });
  return made;
}

}  // namespace

void Sequences::make(Callable& callable, int calls, int sets, size_t enough) {
  while (pairs_.size() < enough) {
    if (!pairs_.empty()) callable.reload();
    Sequence few = sequenceOf(callable, calls / 4, sets);
    pairs_.push_back({std::move(few), sequenceOf(callable, calls, sets)});
  }
}

const Sequences::Pair& Sequences::next() {
  const Pair& pair = pairs_.at(turn_);
  turn_ = (turn_ + 1) % pairs_.size();
  return pair;
}

const Sequence& Sequences::drawn() const {
  std::random_device random;
  const Pair& pair = pairs_.at(std::uniform_int_distribution<size_t>(0, pairs_.size() - 1)(random));
  return random() % 2 == 0 ? pair.few : pair.many;
}

double Sequences::secondsOfCall(double few, double many) const {
  const Pair& pair = pairs_.front();  // all make as many calls
  return (many - few) / (pair.many.calls - pair.few.calls);
}

RefuseWaiting::RefuseWaiting() : before_(c10::cuda::warning_state().get_sync_debug_mode()) {
  c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR);
}
RefuseWaiting::~RefuseWaiting() { c10::cuda::warning_state().set_sync_debug_mode(before_); }

OwnPages::OwnPages() {
  const cudaStream_t own = c10::cuda::getCurrentCUDAStream().stream();
  c10::cuda::CUDACachingAllocator::beginAllocateToPool(device_, pool_, [own](cudaStream_t stream) { return stream == own; });
}
OwnPages::~OwnPages() {
  c10::cuda::CUDACachingAllocator::endAllocateToPool(device_, pool_);
  c10::cuda::CUDACachingAllocator::releasePool(device_, pool_);
}

}  // namespace runtime
