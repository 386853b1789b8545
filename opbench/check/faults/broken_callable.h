#pragma once

#include <utility>

#include "runtime/callable.h"

namespace opbench {

/// Hands on to another callable: what faults are made of.
class BrokenCallable : public runtime::Callable {
 public:
  explicit BrokenCallable(runtime::CallablePtr callable) : runtime::Callable(*callable), callable_(std::move(callable)) {
    callable_->onPhase([this] { mark(); });
  }
  runtime::TensorList operator()() override { return (*callable_)(); }
  void use(int number) override { callable_->use(number); }
  void reload() override { callable_->reload(); }
  void reseed() override { callable_->reseed(); }
  void advance() override { callable_->advance(); }
  void guard(runtime::Guards guards) override { callable_->guard(guards); }

 private:
  runtime::CallablePtr callable_;
};

}  // namespace opbench
