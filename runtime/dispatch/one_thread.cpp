#include "runtime/dispatch/one_thread.h"

#include <c10/core/AutogradState.h>

#include <utility>

namespace runtime {
namespace {

thread_local bool isOneThreadAsked = false;

c10::AutogradState& autogradState() { return c10::AutogradState::get_tls_state(); }

}  // namespace

OneThread::OneThread()
    : takesThreads_(autogradState().get_multithreading_enabled()), wasAsked_(std::exchange(isOneThreadAsked, true)) {
  autogradState().set_multithreading_enabled(false);
}

OneThread::~OneThread() {
  isOneThreadAsked = wasAsked_;
  autogradState().set_multithreading_enabled(takesThreads_);
}

ProgramMode::ProgramMode(bool hasGradients) : gradients_(hasGradients) {
  if (isOneThreadAsked) autogradState().set_multithreading_enabled(false);
}

}  // namespace runtime
