#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "inputs/data/distribution.h"
#include "inputs/sample.h"
#include "runtime/torch/aten_call.h"
#include "runtime/workload.h"

namespace runtime {

class Device;
struct AtenCall;

/// A sample's call on one device: the ATen operator, its arguments made from a seed, and pristine copies of the arguments that it
/// writes in place.
class Call : public Workload {
 public:
  /// Errors: Unsupported for sparse arguments and tensors that do not fit, Input where the operator or an argument does
  /// not exist in ATen.
  Call(const inputs::Sample& sample, Device& device, uint64_t seed, const inputs::Data& data = {});
  ~Call() override;

  const std::string& op() const override;
  /// Draws the arguments anew into the memory they have: whatever was made for the call computes on them from then on.
  void draw(uint64_t seed, const inputs::Data& data) override;

  /// Runs ATen once and returns the outputs: defined tensors among the results, lists flattened, in-place results being the
  /// written arguments themselves; then the arguments that the operator writes without returning them.
  TensorList eager();
  /// eager() on copies of the written arguments: outputs that stay valid when the arguments are restored.
  TensorList runEager() override;
  TensorList runEagerAgain() override;
  /// runEager() on arguments upcast to float64; empty where ATen has no float64 form of it.
  TensorList runEagerInFloat64() override;
  EagerRuns runEagerOnContiguous() override;
  std::string outputName(int output) const override;
  std::optional<Contender> reference() const override { return Contender::Eager; }

  /// The call as a graph with the static types of its arguments and of `outputs` (runEager()'s).
  ir::Graph graph(const TensorList& outputs) const override;

  bool isView() override;
  uint64_t seed() const override;
  /// Whether the operator writes any of its arguments.
  bool mutates() const override;
  /// Whether the operator draws random numbers.
  bool isRandom() const override;
  /// The tensors among its arguments, tensors in lists too.
  TensorList operands(int set = 0) const override;
  TensorList readOnly() const override;
  int multiply(int sets) override;
  void restore(int set = 0) override;
  int64_t turnsOfRows() const override;
  int64_t operandBytes() const override;
  Traffic traffic(const ir::Graph& graph) const override;

  std::unique_ptr<Callable> make(const Contender& contender) override;
  Call* call() override { return this; }

  /// The call, for files that speak torch.
  AtenCall& aten() { return *call_; }

 private:
  std::unique_ptr<AtenCall> call_;
};

/// ATen's own call.
std::unique_ptr<Callable> eagerCallable(Call& call);

}  // namespace runtime
