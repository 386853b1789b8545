#include "runtime/cuda/trial.h"

#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <random>
#include <utility>

#include "runtime/compare/oracle.h"
#include "runtime/cuda/check.h"
#include "runtime/profile/recorder.h"
#include "runtime/torch/guard.h"
#include "runtime/torch/state.h"

namespace runtime {
namespace {

cudaStream_t currentStream() { return c10::cuda::getCurrentCUDAStream().stream(); }

void wait(cudaStream_t stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

/// Whether runs of several calls write integers, which the next run may read as indices: they have to be restored before each.
bool countsRuns(Workload& workload) {
  if (workload.call() != nullptr) return false;
  const TensorList constant = workload.readOnly();
  const std::vector<at::Tensor>& readOnly = constant.state().tensors;
  const auto isCounter = [&](const at::Tensor& tensor) {
    const auto isIt = [&](const at::Tensor& other) { return other.is_same(tensor); };
    return at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false) &&
           std::none_of(readOnly.begin(), readOnly.end(), isIt);
  };
  const TensorList operands = workload.operands();
  return std::any_of(operands.state().tensors.begin(), operands.state().tensors.end(), isCounter);
}

std::string firstLine(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace

CudaTrial::CudaTrial(Callable& callable, Workload& workload, TrialTools& tools)
    : callable_(callable), workload_(workload), tools_(tools) {
  const c10::InferenceMode guard;
  for (size_t i = 0; i < callable_.phases.size(); ++i) phases_.emplace_back();
  if (!phases_.empty()) callable_.onPhase([this] { onPhase(); });
  if (callable_.isDirect) {
    notCaptured = "called directly, as users call it";
    waits_ = true;
    return;
  }
  callable_.guard(Guards::Left);
  warmUp();
  if (notCaptured.empty()) capture();
  if (!isCaptured()) callable_.guard(Guards::None);
}

/// Lets the callable load its kernels and make its handles and workspaces; then finds out whether it waits for the device.
void CudaTrial::warmUp() {
  workload_.restore();
  outputs_ = callable_();
  wait(currentStream());
  workload_.restore();
  const RefuseWaiting guard;
  try {
    outputs_ = callable_();
  } catch (const std::exception& error) {
    notCaptured = firstLine(error);
    waits_ = true;
  }
  wait(currentStream());
}

void CudaTrial::capture() {
  const TensorList earlier = std::exchange(outputs_, {});
  workload_.restore();
  wait(currentStream());
  try {
    instances_.push_back(instance());
    outputs_ = instances_[0].outputs;
    findOwned(earlier);
    poisonGuarded(outputs_);
    workload_.restore();  // arguments that are outputs were poisoned, too
  } catch (const std::exception& error) {
    outputs_ = {};
    owned_.clear();
    instances_.clear();
    notCaptured = firstLine(error);
  }
  wait(currentStream());
}

CudaTrial::Instance CudaTrial::instance() {
  Instance made;
  made.graph = std::make_unique<CapturedGraph>([&] { made.outputs = callable_(); });
  return made;
}

size_t CudaTrial::enoughInstances() const {
  constexpr int64_t mostInstances = 16;
  constexpr int64_t mostBytes = int64_t{512} << 20;  // beyond which one instance's data are spread widely enough
  return static_cast<size_t>(std::clamp<int64_t>(mostBytes / std::max<int64_t>(dataBytes(), 1), 1, mostInstances));
}

/// Each instance has arguments of its own, too, on pages of their own. Instances that do not fit are done without.
bool CudaTrial::grow() {
  isGrown_ = isGrown_ || !isCaptured() || instances_.size() >= enoughInstances();
  if (isGrown_) return false;
  const c10::InferenceMode guard;
  const auto set = static_cast<int>(instances_.size());
  try {
    {
      const OwnPages pages;
      isGrown_ = workload_.multiply(set + 1) <= set;
    }
    if (isGrown_) return false;
    callable_.use(set);
    callable_.reload();
    instances_.push_back(instance());
    poisonGuarded(instances_.back().outputs);
    workload_.restore(set);
  } catch (const std::exception&) {
    isGrown_ = true;
  }
  callable_.use(0);
  wait(currentStream());
  return !isGrown_;
}

int CudaTrial::captures(Measure measure) const {
  const size_t number = measure == Measure::Cold ? instances_.size() : sequences_.size();
  return static_cast<int>(std::max<size_t>(number, 1));
}

int64_t CudaTrial::dataBytes() const {
  int64_t bytes = workload_.operandBytes();
  for (const size_t i : owned_) bytes += static_cast<int64_t>(outputs_.state().tensors[i].storage().nbytes());
  return bytes;
}

/// An output that lies where the warm-up's lay, which still live, is an argument or a view of one. The user's code may keep
/// others.
void CudaTrial::findOwned(const TensorList& earlier) {
  if (callable_.isOwn) {
    owned_ = unshared(outputs_, workload_.operands());
    return;
  }
  for (size_t i = 0; i < outputs_.state().tensors.size(); ++i) {
    const at::Tensor& tensor = outputs_.state().tensors[i];
    const at::Tensor& before = earlier.state().tensors.at(i);
    if (tensor.is_cuda() && tensor.has_storage() && tensor.storage().data() != before.storage().data()) owned_.push_back(i);
  }
}

void CudaTrial::poisonOwned(const TensorList& outputs) const {
  for (const size_t i : owned_) callable_.isOwn ? disguise(outputs.state().tensors[i]) : poison(outputs.state().tensors[i]);
}

/// Leaves nothing of a direct call of the user's code that could be taken for what the next one computes.
void CudaTrial::forget() const {
  if (callable_.isOwn && outputs_) disguiseOwned(outputs_, workload_.operands());
}

/// A phase begins, and the one before it ends. In a graph that is captured each replay says so.
void CudaTrial::onPhase() {
  const cudaStream_t stream = currentStream();
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  const unsigned flags = status == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault;
  if (phase_ > 0) phases_[phase_ - 1].recordStop(stream, flags);
  if (phase_ < phases_.size()) phases_[phase_].recordStart(stream, flags);
  phase_ = phase_ < phases_.size() ? phase_ + 1 : 0;
}

std::vector<PhaseTime> CudaTrial::phases() const {
  std::vector<PhaseTime> phases;
  for (size_t i = 0; i < phases_.size(); ++i) phases.push_back({callable_.phases[i], phases_[i].seconds()});
  return phases;
}

void CudaTrial::start(cudaStream_t stream) {
  if (isCaptured()) {
    instances_[turn_].graph->launch(stream);
    turn_ = (turn_ + 1) % instances_.size();
  } else {
    outputs_ = callable_();
  }
}

/// Has the next run draw other random numbers, by work that is queued before it.
void CudaTrial::advance() {
  callable_.advance();
  if (isCaptured()) instances_[turn_].graph->advance();
}

TensorList CudaTrial::outputs() const {
  return isCaptured() ? instances_[(turn_ + instances_.size() - 1) % instances_.size()].outputs : outputs_;
}

TensorList CudaTrial::run() {
  const c10::InferenceMode guard;
  const cudaStream_t stream = currentStream();
  if (!isCaptured()) forget();
  if (!isCaptured()) outputs_ = {};
  turn_ = 0;
  workload_.restore();
  if (isCaptured()) poisonOwned(outputs_);
  advance();
  if (!isCaptured()) callable_.guard(Guards::Written);
  start(stream);
  if (!isCaptured()) callable_.guard(Guards::None);
  wait(stream);
  return outputs_;
}

/// The data arrive right before the run is timed, and what is not there when its time ends is no result: work that somebody does
/// earlier or later is of no use.
CudaTrial::Around CudaTrial::justInTime(TensorList& found) {
  const TensorList operands = workload_.operands(static_cast<int>(turn_));
  Around around;
  around.prepare = [operands] {
    invert(operands);
    wait(currentStream());
  };
  around.before = [operands] { invert(operands); };
  // Generated kernels write memory that opbench allocated; the guards around it are checked instead.
  if (callable_.kind != Kind::Generated) around.after = [&] { found = clone(outputs()); };
  return around;
}

TensorList CudaTrial::audit(Measure measure, std::optional<int> capture) {
  const c10::InferenceMode guard;
  if (measure == Measure::BackToBack) return auditSequence();
  const size_t turn = turn_, used = usedEvents_;
  if (capture) turn_ = static_cast<size_t>(*capture);
  isCaptured() ? poisonOwned(instances_[turn_].outputs) : forget();
  if (!isCaptured()) callable_.guard(Guards::Written);
  TensorList found;
  const Around around = callable_.isOwn ? justInTime(found) : Around{};
  queue(measure, around);
  if (!isCaptured()) callable_.guard(Guards::None);
  wait(currentStream());
  if (!found) found = outputs();
  queued_.pop_back();
  usedEvents_ = used;
  turn_ = turn;
  return found;
}

double CudaTrial::disturbedSeconds(int number, bool isKnown) {
  const c10::InferenceMode guard;
  const auto set = static_cast<int>(turn_);
  const std::function<void()> restore = disturb(workload_.operands(set), number);
  if (isKnown) restore();
  isCaptured() ? poisonOwned(instances_[turn_].outputs) : forget();
  const double time = seconds();
  if (!isKnown) restore();
  return time;
}

std::string CudaTrial::tampering() {
  if (!tools_.timer) return "";
  constexpr double ofHost = 2e-5;  // where the stream is not held back while events are recorded
  const c10::InferenceMode guard;
  DeviceTimer& timer = *tools_.timer;
  const auto run = [&] {
    std::vector<double> seconds;
    queue(Measure::Cold, {[] {}, [&] { timer.start(); }, [&] { timer.stop(); }});
    collect(seconds);
    return seconds.at(0);
  };
  return timer.fault(run, waits_ ? ofHost : 0);
}

/// One of the last results of one of the sequences, both drawn. Arguments that are written in place hold what several calls
/// left.
TensorList CudaTrial::auditSequence() {
  if (workload_.mutates()) return {};
  const Sequence& sequence = sequences_.drawn();
  for (const TensorList& outputs : sequence.outputs) poisonOwned(outputs);
  callable_.advance();
  sequence.graph->advance();
  tools_.flush.queue(currentStream());
  sequence.graph->launch(currentStream());
  wait(currentStream());
  std::random_device random;
  return sequence.outputs[std::uniform_int_distribution<size_t>(0, sequence.outputs.size() - 1)(random)];
}

void CudaTrial::replay() {
  const c10::InferenceMode guard;
  if (!isCaptured()) outputs_ = {};
  advance();
  start(currentStream());
}

bool CudaTrial::prepareFor(Measure measure) {
  if (measure == Measure::Cold) return true;
  if (!isCaptured() || kernelNodes() == 0 || countsRuns(workload_)) return false;
  if (sequences_.size() > 0) return true;
  constexpr double longSeconds = 3e-4;
  constexpr double slowSeconds = 1e-3;  // of a call for which it matters little where its code lies
  constexpr int leastCalls = 4, mostCalls = 40;
  constexpr int64_t mostPairs = 4, mostBytes = int64_t{1} << 30;
  const c10::InferenceMode guard;
  const double each = std::min(seconds(), seconds());
  const int calls = std::clamp(static_cast<int>(longSeconds / each), leastCalls, mostCalls);
  const int64_t footprint = 3 * tools_.l2Bytes;
  const int sets = static_cast<int>(std::clamp<int64_t>(footprint / std::max<int64_t>(dataBytes(), 1) + 1, 1, calls));
  // A sequence uses memory again: what lies around an output of its last calls was an earlier call's to write.
  callable_.guard(Guards::None);
  try {
    const int made = std::min(sets, workload_.multiply(sets));
    const int64_t bytes = 2 * made * std::max<int64_t>(dataBytes(), 1);
    const int64_t enough = each > slowSeconds ? 1 : std::clamp<int64_t>(mostBytes / bytes, 1, mostPairs);
    sequences_.make(callable_, calls, made, static_cast<size_t>(enough));
  } catch (const std::exception&) {  // it does not fit, or draws more than a graph may: those before it do
  }
  callable_.guard(Guards::Left);
  callable_.use(0);
  wait(currentStream());
  return sequences_.size() > 0;
}

EventPair& CudaTrial::nextEvents() {
  if (usedEvents_ == events_.size()) events_.emplace_back();
  return events_[usedEvents_++];
}

void CudaTrial::queue(Measure measure, const Around& around) {
  const Range range(label);
  const c10::InferenceMode guard;
  const cudaStream_t stream = currentStream();
  queued_.push_back({measure, usedEvents_});
  measure == Measure::Cold ? queueCold(stream, around) : queueSequences(stream);
}

void CudaTrial::queueSequences(cudaStream_t stream) {
  const Sequences::Pair& pair = sequences_.next();
  for (const Sequence* sequence : {&pair.few, &pair.many}) {
    EventPair& events = nextEvents();
    callable_.advance();
    sequence->graph->advance();
    tools_.flush.queue(stream);
    events.recordStart(stream);
    sequence->graph->launch(stream);
    events.recordStop(stream);
  }
}

/// The stream is empty when a run is queued: behind a queue of more than ten runs the device is 0.5 to 1 us later to start a
/// kernel, by how much depends on the place in the queue. The host stays ahead all the same: it is done while the caches are
/// emptied.
void CudaTrial::queueCold(cudaStream_t stream, const Around& around) {
  wait(stream);
  if (!isCaptured()) outputs_ = {};
  if (!isCaptured() || workload_.mutates()) workload_.restore(static_cast<int>(turn_));
  advance();
  around.prepare();
  tools_.flush.queue(stream);
  if (callable_.isDirect) wait(stream);  // the host's time counts, and begins with an idle device
  EventPair& pair = nextEvents();
  if (!isCaptured()) return queueUncaptured(pair, stream, around);
  around.before();
  pair.recordStart(stream);
  start(stream);
  pair.recordStop(stream);
  around.after();
  if (pair.hasStarted()) ++tools_.lateRuns;
}

/// The stream waits until all is queued, so that the host's time is not measured; unless the callable waits for the stream.
void CudaTrial::queueUncaptured(EventPair& pair, cudaStream_t stream, const Around& around) {
  if (!waits_) tools_.barrier.close(stream);
  around.before();
  pair.recordStart(stream);
  start(stream);
  pair.recordStop(stream);
  around.after();
  if (waits_) return;
  if (pair.hasStarted()) ++tools_.lateRuns;
  tools_.barrier.open();
}

void CudaTrial::collect(std::vector<double>& seconds) {
  wait(currentStream());
  for (const Run& run : queued_) seconds.push_back(secondsOf(run));
  queued_.clear();
  usedEvents_ = 0;
}

double CudaTrial::secondsOf(const Run& run) const {
  if (run.measure == Measure::Cold) return events_[run.events].seconds();
  return sequences_.secondsOfCall(events_[run.events].seconds(), events_[run.events + 1].seconds());
}

}  // namespace runtime
