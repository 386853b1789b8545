#pragma once

#include <ATen/core/Tensor.h>
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

#include "codegen/compile.h"
#include "runtime/callable.h"
#include "runtime/contenders/plan/callables.h"
#include "runtime/torch/state.h"
#include "runtime/workloads/call.h"
#include "tests/gpu/gpu.h"
#include "tests/runtime/sample.h"

namespace tests {

/// A call on the GPU.
struct Case {
  Case(const std::string& op, const std::string& text) : call(sample(op, text), gpu(), 7) {}

  runtime::CallablePtr planned(const runtime::Cache& cache = {}) {
    return runtime::plannedCallable(call, codegen::compile(call.graph(call.runEager()), gpu().target()), gpu(), cache);
  }

  runtime::Call call;
};

/// The one tensor of a list.
inline const at::Tensor& only(const runtime::TensorList& list) {
  REQUIRE(list.size() == 1);
  return list.state().tensors[0];
}

/// A callable made of a function, for what no operator does.
class Made : public runtime::Callable {
 public:
  explicit Made(std::function<runtime::TensorList()> work) : work_(std::move(work)) {}
  runtime::TensorList operator()() override { return work_(); }
  void use(int) override {}

 private:
  std::function<runtime::TensorList()> work_;
};

}  // namespace tests
