#pragma once

#include <string>

#include "runtime/callable.h"
#include "runtime/torch/state.h"
#include "runtime/workload.h"

namespace random_graphs {

/// The operands of a captured step, for a plan of it; nothing else of a workload.
class GraphWorkload : public runtime::Workload {
 public:
  explicit GraphWorkload(runtime::TensorList operands) : operands_(std::move(operands)) {}

  const std::string& op() const override { return op_; }
  void draw(uint64_t, const inputs::Data&) override {}
  void restore(int) override {}
  int multiply(int) override { return 1; }
  bool mutates() const override { return true; }
  bool isRandom() const override { return false; }
  runtime::TensorList operands(int) const override { return operands_; }
  runtime::TensorList readOnly() const override { return {}; }
  int64_t operandBytes() const override { return 0; }
  runtime::TensorList runEager() override { return {}; }
  runtime::TensorList runEagerInFloat64() override { return {}; }
  std::string outputName(int output) const override { return std::to_string(output); }
  std::optional<runtime::Contender> reference() const override { return std::nullopt; }
  std::unique_ptr<runtime::Callable> make(const runtime::Contender&) override { return nullptr; }

 private:
  std::string op_ = "graph";
  runtime::TensorList operands_;
};

}  // namespace random_graphs
