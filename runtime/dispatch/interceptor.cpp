#include "runtime/dispatch/interceptor.h"

#include <c10/core/AutogradState.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/function.h>

#include <mutex>
#include <utility>

#include "ir/error.h"

namespace runtime {
namespace {

/// Below autograd and autocast, above the choice of a backend; torch leaves it to others.
constexpr c10::DispatchKey interceptorKey = c10::DispatchKey::Fake;

thread_local std::vector<Interceptor*> interceptorsOfThread;  // the latest is last

/// While it lives, this thread has other interceptors.
class InterceptorsInstead {
 public:
  explicit InterceptorsInstead(std::vector<Interceptor*> interceptors)
      : before_(std::exchange(interceptorsOfThread, std::move(interceptors))),
        wasExcluded_(c10::impl::tls_is_dispatch_key_excluded(interceptorKey)) {
    c10::impl::tls_set_dispatch_key_excluded(interceptorKey, interceptorsOfThread.empty());
  }
  ~InterceptorsInstead() {
    interceptorsOfThread = std::move(before_);
    c10::impl::tls_set_dispatch_key_excluded(interceptorKey, wasExcluded_);
  }
  InterceptorsInstead(const InterceptorsInstead&) = delete;
  InterceptorsInstead& operator=(const InterceptorsInstead&) = delete;

  const std::vector<Interceptor*>& before() const { return before_; }

 private:
  std::vector<Interceptor*> before_;
  bool wasExcluded_;
};

/// A backward pass may run on autograd's threads, where nobody would see it.
bool mayLeaveThread() {
  return c10::AutogradState::get_tls_state().get_multithreading_enabled() && torch::autograd::get_current_node() != nullptr;
}

/// Where autograd is out of the way, as in inference mode, composite operators arrive whole: then it is the calls that they are
/// made of that are seen.
void intercept(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, interceptorKey);
  const bool isComposite = op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
                           !op.hasKernelForDispatchKey(below.highestPriorityTypeId());
  if (isComposite) return op.redispatchBoxed(below, stack);
  if (interceptorsOfThread.empty() || mayLeaveThread())
    ir::fail(ir::ErrorKind::Unsupported,
             "{}: calls of a step are followed on one thread, and its backward pass takes another one",
             c10::toString(op.operator_name()));
  const InterceptorsInstead own({});
  InterceptedCall(op, below, *stack, own.before()).carryOut(Inner::Unseen);
}

/// Has the dispatcher hand every call with the key over: by a fallback, or operator by operator where somebody else's fallback is
/// there.
std::vector<c10::RegistrationHandleRAII> registered() {
  constexpr const char* who = "opbench";
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  const auto kernel = [] { return c10::KernelFunction::makeFromBoxedFunction<&intercept>(); };
  std::vector<c10::RegistrationHandleRAII> handles;
  if (!dispatcher.hasBackendFallbackForDispatchKey(interceptorKey)) {
    handles.push_back(dispatcher.registerFallback(interceptorKey, kernel(), who));
    return handles;
  }
  for (const c10::OperatorName& name : dispatcher.getAllOpNames())
    if (dispatcher.findSchema(name))
      handles.push_back(dispatcher.registerImpl(name, interceptorKey, kernel(), std::nullopt, nullptr, who));
  return handles;
}

/// The registration that all interceptions of the process share while there are any.
std::shared_ptr<const void> registration() {
  static std::mutex mutex;
  static std::weak_ptr<const void> shared;
  const std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const void> own = shared.lock();
  if (own == nullptr) shared = own = std::make_shared<const std::vector<c10::RegistrationHandleRAII>>(registered());
  return own;
}

}  // namespace

/// Each interceptor calls this in turn: it hands the call to the next one, and the last hands it to the kernel.
void InterceptedCall::carryOut(Inner inner) {
  if (inner == Inner::Seen) seeing_.insert(seeing_.begin(), interceptors_[left_]);
  if (left_ > 0) return interceptors_[--left_]->call(*this);
  if (seeing_.empty()) return op_.redispatchBoxed(below_, &stack_);
  const InterceptorsInstead seeing(seeing_);
  op_.redispatchBoxed(below_, &stack_);
}

Interception::Interception(Interceptor& interceptor) : registration_(registration()), key_(interceptorKey) {
  interceptorsOfThread.push_back(&interceptor);
}

Interception::~Interception() { interceptorsOfThread.pop_back(); }

}  // namespace runtime
