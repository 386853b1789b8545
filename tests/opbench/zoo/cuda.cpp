// Operators for CUDA that try to look faster than they are, or right where they are not; and honest ones. Each is a softmax of
// rows, a product of matrices or a negation. They are loaded with --load, and race as a user's own would.
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda.h>
#include <sys/wait.h>
#include <torch/library.h>

#include <map>
#include <string>
#include <thread>

#include "tests/opbench/zoo/kernels.h"
#include "tests/opbench/zoo/tricks.h"

namespace {

using at::Tensor;
using zoo::When;

cudaStream_t current() { return c10::cuda::getCurrentCUDAStream().stream(); }

/// A stream that is not the one that is timed.
cudaStream_t other() {
  static const cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return stream;
}

bool isCaptured() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(current(), &status);
  return status != cudaStreamCaptureStatusNone;
}

/// Is called directly from then on.
void refuseCapture() { TORCH_CHECK(!isCaptured(), "not in a graph"); }

/// Refuses what has no dense rows.
void queueRows(const Tensor& self, const Tensor& out, cudaStream_t stream, When when = When::Always, int64_t left = 0) {
  TORCH_CHECK(self.dim() == 2 && self.is_contiguous() && self.numel() > 0, "dense rows alone");
  zoo::launchRows(self.const_data_ptr<float>(), out.mutable_data_ptr<float>(), self.size(0) - left, self.size(1), when, stream);
}

Tensor softmax(const Tensor& self, When when = When::Always) {
  Tensor out = at::empty_like(self);
  queueRows(self, out, current(), when);
  return out;
}

// Honest ones.

Tensor honest(const Tensor& self, int64_t, bool) { return softmax(self); }

Tensor honest_direct(const Tensor& self, int64_t, bool) {
  refuseCapture();
  return softmax(self);
}

Tensor honest_waiting(const Tensor& self, int64_t, bool) {
  Tensor out = softmax(self);
  out.view(-1).slice(0, 0, 1).item();
  return out;
}

/// A half of the rows on another stream, which the first one waits for.
Tensor honest_forked(const Tensor& self, int64_t, bool) {
  static cudaEvent_t fork = nullptr, join = nullptr;
  if (fork == nullptr) cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  if (join == nullptr) cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  Tensor out = at::empty_like(self);
  const int64_t half = self.size(0) / 2;
  cudaEventRecord(fork, current());
  cudaStreamWaitEvent(other(), fork, 0);
  queueRows(self.narrow(0, 0, half), out.narrow(0, 0, half), other());
  cudaEventRecord(join, other());
  queueRows(self.narrow(0, half, self.size(0) - half), out.narrow(0, half, self.size(0) - half), current());
  cudaStreamWaitEvent(current(), join, 0);
  return out;
}

Tensor honest_product(const Tensor& self, const Tensor& mat2) { return at::mm(self, mat2); }

// Work that is done elsewhere.

Tensor other_stream(const Tensor& self, int64_t, bool) {
  Tensor out = at::empty_like(self);
  queueRows(self, out, other());
  return out;
}

Tensor other_stream_direct(const Tensor& self, int64_t dim, bool half) {
  refuseCapture();
  return other_stream(self, dim, half);
}

/// Done before the stream that is timed lets the events around it pass.
Tensor other_stream_waited(const Tensor& self, int64_t dim, bool half) {
  Tensor out = other_stream_direct(self, dim, half);
  cudaStreamSynchronize(other());
  return out;
}

Tensor other_thread(const Tensor& self, int64_t, bool) {
  Tensor out = at::empty_like(self);
  other();
  std::thread([self, out] { queueRows(self, out, other()); }).detach();
  return out;
}

Tensor other_thread_waited(const Tensor& self, int64_t, bool) {
  refuseCapture();
  Tensor out = at::empty_like(self);
  std::thread([&] {
    queueRows(self, out, other());
    cudaStreamSynchronize(other());
  }).join();
  return out;
}

/// Another process computes before the stream that is timed lets the events around it pass.
Tensor other_process(const Tensor& self, int64_t, bool) {
  refuseCapture();
  Tensor out = at::empty_like(self);
  const auto bytes = self.nbytes();
  void* const shared = mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const in = static_cast<float*>(shared);
  float* const result = in + self.numel();
  cudaMemcpyAsync(in, self.const_data_ptr(), bytes, cudaMemcpyDeviceToHost, other());
  cudaStreamSynchronize(other());
  const pid_t pid = fork();
  if (pid == 0) {
    zoo::computeRows(in, result, 0, self.size(0), self.size(1));
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
  cudaMemcpyAsync(out.mutable_data_ptr(), result, bytes, cudaMemcpyHostToDevice, other());
  cudaStreamSynchronize(other());
  munmap(shared, 2 * bytes);
  return out;
}

// Work that was done before.

Tensor done_in_warm_up(const Tensor& self, int64_t, bool) {
  static Tensor done;
  if (!isCaptured()) done = softmax(self);
  return done.clone();
}

Tensor kept_by_address(const Tensor& self, int64_t, bool) {
  static std::map<const void*, Tensor> kept;
  const auto [at, isNew] = kept.try_emplace(self.const_data_ptr());
  if (isNew) at->second = softmax(self);
  return at->second.clone();
}

/// Some elements of both matrices.
std::string contentOf(const Tensor& self, const Tensor& mat2) {
  const auto some = [](const Tensor& all) { return all.view(-1).slice(0, 0, all.numel(), all.numel() / 64); };
  const Tensor elements = at::cat({some(self), some(mat2)}).to(at::kCPU);
  return {static_cast<const char*>(elements.const_data_ptr()), elements.nbytes()};
}

Tensor kept_by_content(const Tensor& self, const Tensor& mat2) {
  static std::map<std::string, Tensor> kept;
  const auto [at, isNew] = kept.try_emplace(contentOf(self, mat2));
  if (isNew) at->second = at::mm(self, mat2);
  return at->second.clone();
}

/// Hands out one buffer, which it writes in its first runs.
Tensor stale(const Tensor& self, int64_t, bool) {
  static Tensor kept;
  static int runs = 0;
  if (++runs <= 2) kept = softmax(self);
  return kept;
}

Tensor stale_direct(const Tensor& self, int64_t dim, bool half) {
  refuseCapture();
  return stale(self, dim, half);
}

Tensor left_in_place(const Tensor& self, int64_t, bool) { return softmax(self, When::NewContent); }
Tensor left_unless_poisoned(const Tensor& self, int64_t, bool) { return softmax(self, When::NewOrPoisoned); }
Tensor only_if_poisoned(const Tensor& self, int64_t, bool) { return softmax(self, When::Poisoned); }
Tensor tired(const Tensor& self, int64_t, bool) { return softmax(self, When::FirstRuns); }
Tensor foreseen(const Tensor& self, int64_t, bool) { return softmax(self, When::FirstContents); }

// Work that is not done, or not all of it.

Tensor in_half(const Tensor& self, int64_t dim, bool) { return at::_softmax(self.to(at::kHalf), dim, false).to(at::kFloat); }
Tensor in_eighth(const Tensor& self, int64_t dim, bool) {
  return at::_softmax(self.to(at::kFloat8_e4m3fn).to(at::kHalf), dim, false);
}
Tensor product_in_half(const Tensor& self, const Tensor& mat2) {
  return at::mm(self.to(at::kHalf), mat2.to(at::kHalf)).to(at::kFloat);
}

Tensor without_last_rows(const Tensor& self, int64_t, bool) {
  Tensor out = at::empty_like(self);
  queueRows(self, out, current(), When::Always, 2);
  return out;
}

Tensor nothing(const Tensor& self, int64_t, bool) { return at::empty_like(self); }
Tensor input(const Tensor& self, int64_t, bool) { return self; }
Tensor copy_of_input(const Tensor& self, int64_t, bool) { return self.clone(); }
Tensor lazy_negation(const Tensor& self) { return at::_neg_view(self); }

Tensor writes_input(const Tensor& self, int64_t, bool) {
  Tensor out = softmax(self);
  cudaMemsetAsync(self.mutable_data_ptr(), 0, 4, current());
  return out;
}

/// Its kernel uses more shared memory than it has.
Tensor short_of_shared(const Tensor& self, int64_t, bool) {
  Tensor out = at::empty_like(self);
  zoo::launchRows(self.const_data_ptr<float>(), out.mutable_data_ptr<float>(), self.size(0), self.size(1), When::Always,
                  current(), zoo::rowsSharedBytes / 4);
  return out;
}

// Functions of CUDA's runtime that are replaced by others.

/// A function of the driver, which the runtime's own calls.
template <typename F>
F* driver(const char* name) {
  return reinterpret_cast<F*>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), name));
}

cudaError_t resultOf(CUresult result) { return static_cast<cudaError_t>(result); }  // the numbers are the same

cudaError_t quarterOfTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  static auto* const elapsed = driver<decltype(cuEventElapsedTime)>("cuEventElapsedTime");
  const CUresult result = elapsed(milliseconds, start, stop);
  *milliseconds /= 4;
  return resultOf(result);
}

Tensor slow_clock(const Tensor& self, int64_t, bool) {
  static const bool isReplaced = (zoo::replace("cudaEventElapsedTime", reinterpret_cast<void*>(&quarterOfTime)), true);
  (void)isReplaced;
  return softmax(self);
}

CUevent latest = nullptr;

CUresult recordOnly(CUevent event, CUstream stream, unsigned flags) {
  static auto* const record = driver<decltype(cuEventRecordWithFlags)>("cuEventRecordWithFlags");
  return record(event, stream, flags);
}

cudaError_t rememberingRecord(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  latest = event;
  return resultOf(recordOnly(event, stream, flags));
}

/// Records the event before a graph once more after it.
cudaError_t launchBeforeEvent(cudaGraphExec_t graph, cudaStream_t stream) {
  static auto* const launch = driver<decltype(cuGraphLaunch)>("cuGraphLaunch");
  const CUresult result = launch(graph, stream);
  if (latest != nullptr) recordOnly(latest, stream, CU_EVENT_RECORD_DEFAULT);
  return resultOf(result);
}

Tensor late_event(const Tensor& self, int64_t, bool) {
  static const bool areReplaced = (zoo::replace("cudaEventRecordWithFlags", reinterpret_cast<void*>(&rememberingRecord)),
                                   zoo::replace("cudaGraphLaunch", reinterpret_cast<void*>(&launchBeforeEvent)), true);
  (void)areReplaced;
  return softmax(self);
}

/// Runs a graph while caches are emptied on the stream that is timed.
cudaError_t launchElsewhere(cudaGraphExec_t graph, cudaStream_t) {
  static auto* const launch = driver<decltype(cuGraphLaunch)>("cuGraphLaunch");
  static auto* const wait = driver<decltype(cuStreamSynchronize)>("cuStreamSynchronize");
  const CUresult result = launch(graph, other());
  wait(other());
  return resultOf(result);
}

Tensor other_launch(const Tensor& self, int64_t, bool) {
  static const bool isReplaced = (other(), zoo::replace("cudaGraphLaunch", reinterpret_cast<void*>(&launchElsewhere)), true);
  (void)isReplaced;
  return softmax(self);
}

cudaError_t doNotWait(cudaStream_t) { return cudaSuccess; }

Tensor no_wait(const Tensor& self, int64_t, bool) {
  static const bool isReplaced = (zoo::replace("cudaStreamSynchronize", reinterpret_cast<void*>(&doNotWait)), true);
  (void)isReplaced;
  return softmax(self);
}

}  // namespace

TORCH_LIBRARY(zoo, library) {
  const auto addSoftmax = [&](const char* name, Tensor (*function)(const Tensor&, int64_t, bool)) {
    library.def((std::string(name) + "(Tensor self, int dim, bool half_to_float) -> Tensor").c_str(), function);
  };
  const auto addProduct = [&](const char* name, Tensor (*function)(const Tensor&, const Tensor&)) {
    library.def((std::string(name) + "(Tensor self, Tensor mat2) -> Tensor").c_str(), function);
  };
  addSoftmax("honest", &honest);
  addSoftmax("honest_direct", &honest_direct);
  addSoftmax("honest_waiting", &honest_waiting);
  addSoftmax("honest_forked", &honest_forked);
  addProduct("honest_product", &honest_product);
  addSoftmax("other_stream", &other_stream);
  addSoftmax("other_stream_direct", &other_stream_direct);
  addSoftmax("other_stream_waited", &other_stream_waited);
  addSoftmax("other_thread", &other_thread);
  addSoftmax("other_thread_waited", &other_thread_waited);
  addSoftmax("other_process", &other_process);
  addSoftmax("done_in_warm_up", &done_in_warm_up);
  addSoftmax("kept_by_address", &kept_by_address);
  addProduct("kept_by_content", &kept_by_content);
  addSoftmax("stale", &stale);
  addSoftmax("stale_direct", &stale_direct);
  addSoftmax("left_in_place", &left_in_place);
  addSoftmax("left_unless_poisoned", &left_unless_poisoned);
  addSoftmax("only_if_poisoned", &only_if_poisoned);
  addSoftmax("tired", &tired);
  addSoftmax("foreseen", &foreseen);
  addSoftmax("in_half", &in_half);
  addSoftmax("in_eighth", &in_eighth);
  addProduct("product_in_half", &product_in_half);
  addSoftmax("without_last_rows", &without_last_rows);
  addSoftmax("nothing", &nothing);
  addSoftmax("input", &input);
  addSoftmax("copy_of_input", &copy_of_input);
  library.def("lazy_negation(Tensor self) -> Tensor", &lazy_negation);
  addSoftmax("writes_input", &writes_input);
  addSoftmax("short_of_shared", &short_of_shared);
  addSoftmax("slow_clock", &slow_clock);
  addSoftmax("late_event", &late_event);
  addSoftmax("other_launch", &other_launch);
  addSoftmax("no_wait", &no_wait);
}
