#include "runtime/cuda/trial.h"

#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <utility>

#include "runtime/cuda/check.h"

namespace runtime {
namespace {

cudaStream_t currentStream() { return c10::cuda::getCurrentCUDAStream().stream(); }

void wait(cudaStream_t stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

/// While it lives, operators that wait for the device throw instead: they cannot be captured, and are found out before a
/// capture is broken by them.
class RefuseWaiting {
 public:
  RefuseWaiting() : before_(c10::cuda::warning_state().get_sync_debug_mode()) {
    c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR);
  }
  ~RefuseWaiting() { c10::cuda::warning_state().set_sync_debug_mode(before_); }
  RefuseWaiting(const RefuseWaiting&) = delete;
  RefuseWaiting& operator=(const RefuseWaiting&) = delete;

 private:
  c10::cuda::SyncDebugMode before_;
};

std::string firstLine(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace

EventPair::EventPair() {
  check(cudaEventCreate(&start_), "cudaEventCreate");
  check(cudaEventCreate(&stop_), "cudaEventCreate");
}

EventPair::~EventPair() {
  if (start_ != nullptr) cudaEventDestroy(start_);
  if (stop_ != nullptr) cudaEventDestroy(stop_);
}

EventPair::EventPair(EventPair&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), stop_(std::exchange(other.stop_, nullptr)) {}

void EventPair::recordStart(cudaStream_t stream) { check(cudaEventRecord(start_, stream), "cudaEventRecord"); }

void EventPair::recordStop(cudaStream_t stream) { check(cudaEventRecord(stop_, stream), "cudaEventRecord"); }

double EventPair::seconds() const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
  return milliseconds * 1e-3;
}

CudaTrial::CudaTrial(Callable& callable, Call& call, CacheFlush& flush) : callable_(callable), call_(call), flush_(flush) {
  const c10::InferenceMode guard;
  warmUp();
  if (notCaptured.empty()) capture();
}

/// Lets the callable load its kernels and make its handles and workspaces; then finds out whether it waits for the device.
void CudaTrial::warmUp() {
  call_.restore();
  outputs_ = callable_();
  wait(currentStream());
  const RefuseWaiting guard;
  try {
    outputs_ = callable_();
  } catch (const std::exception& error) {
    notCaptured = firstLine(error);
  }
  wait(currentStream());
}

void CudaTrial::capture() {
  const TensorList earlier = std::exchange(outputs_, {});
  call_.restore();
  wait(currentStream());
  try {
    graph_ = std::make_unique<CapturedGraph>([this] { outputs_ = callable_(); });
    findOwned(earlier);
  } catch (const std::exception& error) {
    outputs_ = {};
    graph_.reset();
    notCaptured = firstLine(error);
  }
  wait(currentStream());
}

/// An output that lies where the warm-up's lay, which still live, is an argument or a view of one.
void CudaTrial::findOwned(const TensorList& earlier) {
  for (int i = 0; i < outputs_.size(); ++i) {
    const at::Tensor& tensor = outputs_.state().tensors[static_cast<size_t>(i)];
    const at::Tensor& before = earlier.state().tensors.at(static_cast<size_t>(i));
    if (tensor.is_cuda() && tensor.has_storage() && tensor.storage().data() != before.storage().data()) owned_.push_back(tensor);
  }
}

void CudaTrial::start(cudaStream_t stream) {
  if (graph_) {
    graph_->launch(stream);
  } else {
    outputs_ = callable_();
  }
}

TensorList CudaTrial::run() {
  const c10::InferenceMode guard;
  const cudaStream_t stream = currentStream();
  if (!graph_) outputs_ = {};
  call_.restore();
  for (at::Tensor& tensor : owned_) {
    const c10::Storage& storage = tensor.storage();
    check(cudaMemsetAsync(storage.mutable_data(), 0xff, storage.nbytes(), stream), "cudaMemsetAsync");
  }
  start(stream);
  wait(stream);
  return outputs_;
}

double CudaTrial::seconds() {
  std::vector<double> times;
  time(1, times);
  return times[0];
}

void CudaTrial::time(int n, std::vector<double>& times) {
  const c10::InferenceMode guard;
  const cudaStream_t stream = currentStream();
  while (static_cast<int>(events_.size()) < n) events_.emplace_back();
  for (int i = 0; i < n; ++i) {
    EventPair& pair = events_[static_cast<size_t>(i)];
    if (!graph_) outputs_ = {};
    if (!graph_ || call_.mutates()) call_.restore();
    flush_.queue(stream);
    pair.recordStart(stream);
    start(stream);
    pair.recordStop(stream);
  }
  wait(stream);
  for (int i = 0; i < n; ++i) times.push_back(events_[static_cast<size_t>(i)].seconds());
}

}  // namespace runtime
