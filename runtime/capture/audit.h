#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <string>
#include <vector>

#include "runtime/torch/schema.h"

namespace runtime {

/// Keeps the bytes of a call's tensors that it does not say to write, to compare them with after the call.
class ArgumentAudit {
 public:
  ArgumentAudit(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments, const Effects& effects);

  /// Adds `aten.f.default writes argument 'x' and does not say so` for each that differs.
  void compare(std::vector<std::string>& undeclared) const;

 private:
  struct Kept {
    std::string message;
    at::Tensor bytes, before;
  };
  std::vector<Kept> kept_;
};

}  // namespace runtime
