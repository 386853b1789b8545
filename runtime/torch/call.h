#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inputs/data/distribution.h"
#include "inputs/sample.h"
#include "ir/graph.h"
#include "ir/target.h"
#include "runtime/torch/tensor_list.h"
#include "runtime/torch/traffic.h"
#include "runtime/workload.h"

namespace runtime {

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

  /// Eager, Torchscript and operators that are registered (runtime/own); Opbench's plan is its compiler's to make
  /// (plannedCallable).
  std::unique_ptr<Callable> make(const Contender& contender) override;
  Call* call() override { return this; }

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// The call as Call::graph() will most likely have it on such a device, found without one: by ATen's rules for the types of
/// results, or, for operators that have none, by running small calls on the host. Nothing where neither can tell. Kernels may be
/// compiled from it ahead of the call; what counts is still what eager gives on the device.
std::optional<ir::Graph> inferGraph(const inputs::Sample& sample, ir::Backend backend);

/// The call's graph by ATen's rules alone, which take no time and no memory: what eager has to return, before it runs. Nothing
/// where there are none.
std::optional<ir::Graph> graphByRule(const inputs::Sample& sample);

/// Whether the call is a view (Call::isView), by the same rules: ATen has them for all views, as these need no kernels.
bool isViewByRule(const inputs::Sample& sample);

/// What is asked for takes more memory than there is.
class OutOfMemory : public ir::Error {
 public:
  explicit OutOfMemory(const std::string& message) : ir::Error(ir::ErrorKind::Unsupported, message) {}
};

/// Whether an exception says that memory ran out, whoever threw it.
bool isOutOfMemory(const std::exception& error);

/// Names of ATen's operators, for suggestions.
std::vector<std::string> operatorNames();

}  // namespace runtime
