#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <memory>
#include <vector>

#include "runtime/dispatch/one_thread.h"

namespace runtime {

class Interceptor;

/// Whether an interceptor sees the calls that a call's kernel makes itself.
enum class Inner { Unseen, Seen };

/// A call of ATen that is about to be carried out.
class InterceptedCall {
 public:
  InterceptedCall(const c10::OperatorHandle& op, c10::DispatchKeySet below, torch::jit::Stack& stack,
                  const std::vector<Interceptor*>& interceptors)
      : op_(op), below_(below), stack_(stack), interceptors_(interceptors), left_(interceptors.size()) {}

  const c10::OperatorHandle& op() const { return op_; }
  c10::ArrayRef<c10::IValue> arguments() const { return torch::jit::last(stack_, op_.schema().arguments().size()); }
  /// Has the call carried out, once. Errors: ATen's and other interceptors'.
  void carryOut(Inner inner);
  /// What it gave, once it is carried out.
  c10::ArrayRef<c10::IValue> results() const { return torch::jit::last(stack_, op_.schema().returns().size()); }

 private:
  const c10::OperatorHandle& op_;
  c10::DispatchKeySet below_;
  torch::jit::Stack& stack_;
  const std::vector<Interceptor*>& interceptors_;
  size_t left_;                       ///< how many of them are still to be asked; the last one is first
  std::vector<Interceptor*> seeing_;  ///< interceptors that see what its kernel calls
};

/// Sees calls of ATen below autograd and autocast, with the dtypes in which they are computed, and above the choice of a backend.
/// Composite operators have become the calls that they are made of. What an interceptor itself computes is not seen.
class Interceptor {
 public:
  virtual ~Interceptor() = default;
  /// A call that begins; its arguments live until it is carried out.
  virtual void call(InterceptedCall& call) = 0;
};

/// While it lives, calls of this thread go through an interceptor, and backward passes that the thread starts run on it. Several
/// may live: the latest is asked first, and none sees what another one computes. Calls are refused on threads that take over this
/// one's state, as autograd's do, and in backward passes that may take such threads (Unsupported, with the operator's name).
class Interception {
 public:
  explicit Interception(Interceptor& interceptor);
  ~Interception();
  Interception(const Interception&) = delete;
  Interception& operator=(const Interception&) = delete;

 private:
  std::shared_ptr<const void> registration_;
  OneThread thread_;
  c10::impl::IncludeDispatchKeyGuard key_;
};

}  // namespace runtime
