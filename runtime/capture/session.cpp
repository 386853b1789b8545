#include "runtime/capture/session.h"

#include <chrono>
#include <utility>

#include "ir/verify/verify.h"

namespace runtime {
namespace {

thread_local CallRecorder* recorderOfThread = nullptr;

/// While it lives, calls of this thread are recorded.
class CaptureSession {
 public:
  explicit CaptureSession(CallRecorder& recorder)
      : interception_(recorder), before_(std::exchange(recorderOfThread, &recorder)) {}
  ~CaptureSession() { recorderOfThread = before_; }
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;

 private:
  Interception interception_;
  CallRecorder* before_;
};

}  // namespace

Capture captureStep(const StepDescription& description, const CapturedStep& step, Audit audit) {
  using Clock = std::chrono::steady_clock;
  CallRecorder recorder(description.device, description.operands, audit);
  std::vector<at::Tensor> outputs;
  double seconds = 0;
  {
    const CaptureSession session(recorder);
    const Clock::time_point start = Clock::now();
    int phase = 0;
    outputs = step([&] { phase < description.phases ? recorder.enter(static_cast<ir::Phase>(phase++)) : recorder.end(); });
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  Capture capture = recorder.finish(outputs, description.outputs);
  capture.seconds = seconds;
  ir::verify(capture.graph);
  return capture;
}

bool isCaptured() { return recorderOfThread != nullptr; }

void enterModule(const std::string& module) {
  if (recorderOfThread != nullptr) recorderOfThread->enterModule(module);
}

}  // namespace runtime
