#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/callable.h"
#include "runtime/capture/recorder.h"
#include "runtime/program/program.h"
#include "runtime/program/programs.h"
#include "runtime/workload.h"
#include "runtime/workloads/model/model_spec.h"
#include "runtime/workloads/network/operands.h"
#include "runtime/workloads/network/training.h"

namespace runtime {

class Device;

/// A program on one device, forward alone or a step of training: one set of parameters, on which all its contenders compute.
/// `eager` calls ATen as users do, and is the baseline of checks; `graph` has the same in one CUDA graph; `torchscript` is
/// traced. From the generator's beginning all of them draw the same numbers, and the baseline always draws from there.
class Model : public Workload {
 public:
  /// Errors: Input for a sample that is none, or whose file cannot be read; Unsupported for sizes and a dtype that its program
  /// does not take; OutOfMemory.
  Model(const inputs::Sample& sample, Device& device, uint64_t seed, const Programs& programs);

  const std::string& op() const override { return op_; }
  void draw(uint64_t seed, const inputs::Data& data) override;
  void restore(int set) override;
  int multiply(int) override { return 1; }
  bool mutates() const override { return !pristine_.empty(); }
  bool isRandom() const override { return isRandom_; }
  TensorList operands(int set) const override;
  TensorList readOnly() const override;
  int64_t operandBytes() const override;
  TensorList runEager() override;
  TensorList runEagerAgain() override;
  TensorList runEagerInFloat64() override;
  TensorList runEagerNearby(uint64_t seed) override;
  std::vector<MemoryLine> traceMemory(MemoryWatch& watch) override;
  std::optional<Capture> capture(Audit audit) override;
  std::string outputName(int output) const override { return outputs_.at(static_cast<size_t>(output)); }
  int outputs() const override { return static_cast<int>(outputs_.size()); }
  std::string operandName(int operand) const override;
  std::optional<Contender> reference() const override { return Contender::Eager; }
  void describe(Callable& callable) const override;
  CallablePtr make(const Contender& contender) override;

 private:
  /// Tensors that a run computes on, on the device or a copy in float64.
  struct Tensors {
    std::vector<at::Tensor> state, inputs;
    at::Tensor gradient;  ///< of the first output; undefined where there is a loss
    std::optional<Optimizer> optimizer;
    std::optional<GradScaler> scaler;

    /// Whether the floating-point tensors are float64, as for the reference. A program may have no tensor that tells.
    bool areInFloat64() const {
      const std::vector<at::Tensor>& first = state.empty() ? inputs : state;
      return !first.empty() && first.front().scalar_type() == at::kDouble;
    }
  };
  using Mark = std::function<void()>;

  Tensors drawn(uint64_t seed) const;
  std::vector<at::Tensor> drawnInputs(uint64_t seed) const;
  /// All that runs of these read or write, in order.
  static std::vector<at::Tensor> all(const Tensors& tensors);
  std::vector<at::Tensor> parametersOf(const Tensors& tensors) const;
  /// The tensors that a run writes.
  std::vector<at::Tensor> written(const Tensors& tensors) const;
  std::vector<GraphOperand> graphOperands() const;
  /// Results of a run that stay valid when what it wrote is restored.
  std::vector<at::Tensor> settled(std::vector<at::Tensor> results) const;
  std::vector<at::Tensor> run(const Program& program, Tensors& tensors, const Mark& mark) const;
  at::Tensor lossOf(const std::vector<at::Tensor>& outputs, const Tensors& tensors) const;
  std::vector<std::string> phases() const;
  /// What its first run shows: what its outputs are called, and whether it draws random numbers.
  void explore();
  /// Calls what runs write by what it is, behind the other outputs.
  void nameWritten();
  /// Takes steps until the scale of gradients leaves none out, as training would have, and restores all else.
  void settleScale();
  /// Copies of the tensors; tensors of floating point are changed.
  Tensors copied(const TensorChange& change) const;
  bool usesTf32() const;

  std::string op_;
  ModelSpec spec_;
  at::Device device_;
  std::unique_ptr<Program> program_;
  std::optional<at::ScalarType> castTo_;  ///< the dtype that state and inputs are cast to; nothing where they were exported in it
  std::optional<std::string> outside_;    ///< what of its sizes is not declared
  Tensors tensors_;
  std::set<size_t> writtenState_, writtenInputs_;  ///< what a run of the program writes, caches and counters among it
  std::vector<at::Tensor> pristine_;               ///< what the written ones are restored to
  std::vector<std::string> outputs_;
  bool isRandom_ = false;
  std::string notInFloat64_;  ///< why contenders are compared with eager alone; empty where they are not
  std::vector<std::unique_ptr<Program>> traced_;
};

}  // namespace runtime
