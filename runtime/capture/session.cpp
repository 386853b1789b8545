#include "runtime/capture/session.h"

#include <c10/core/AutogradState.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <chrono>

#include "ir/verify/verify.h"

namespace runtime {
namespace {

/// Below autograd and autocast, above the choice of a backend; nobody else uses it.
constexpr c10::DispatchKey captureKey = c10::DispatchKey::Fake;

thread_local CallRecorder* recorderOfThread = nullptr;

/// Where autograd is out of the way, as in inference mode, composite operators arrive whole: then it is the calls of their
/// kernels that are recorded. What other kernels call is not.
void handle(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, captureKey);
  TORCH_CHECK(recorderOfThread != nullptr, "a capture records one thread, and another one calls ", op.operator_name());
  const bool isComposite = op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
                           !op.hasKernelForDispatchKey(below.highestPriorityTypeId());
  if (isComposite) return op.redispatchBoxed(below, stack);
  const c10::impl::ExcludeDispatchKeyGuard leaf(captureKey);
  recorderOfThread->call(op, below, stack);
}

/// Has the dispatcher hand every call with the key to the handler: by a fallback, or operator by operator where somebody else's
/// fallback is there.
std::vector<c10::RegistrationHandleRAII> registerHandler() {
  constexpr const char* who = "opbench's captures";
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  const auto kernel = [] { return c10::KernelFunction::makeFromBoxedFunction<&handle>(); };
  std::vector<c10::RegistrationHandleRAII> handles;
  if (!dispatcher.hasBackendFallbackForDispatchKey(captureKey)) {
    handles.push_back(dispatcher.registerFallback(captureKey, kernel(), who));
    return handles;
  }
  for (const c10::OperatorName& name : dispatcher.getAllOpNames())
    if (dispatcher.findSchema(name))
      handles.push_back(dispatcher.registerImpl(name, captureKey, kernel(), std::nullopt, nullptr, who));
  return handles;
}

/// While it lives, calls of this thread are recorded.
class CaptureSession {
 public:
  explicit CaptureSession(CallRecorder& recorder) : handles_(registerHandler()), key_(captureKey) {
    recorderOfThread = &recorder;
  }
  ~CaptureSession() { recorderOfThread = nullptr; }
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;

 private:
  std::vector<c10::RegistrationHandleRAII> handles_;
  c10::impl::IncludeDispatchKeyGuard key_;
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
    outputs = step([&] {
      c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
      phase < description.phases ? recorder.enter(static_cast<ir::Phase>(phase++)) : recorder.end();
    });
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  Capture capture = recorder.finish(outputs, description.outputs);
  capture.seconds = seconds;
  ir::verify(capture.graph);
  return capture;
}

void enterModule(const std::string& module) {
  if (recorderOfThread != nullptr) recorderOfThread->enterModule(module);
}

}  // namespace runtime
