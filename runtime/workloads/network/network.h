#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/callable.h"
#include "runtime/workload.h"
#include "runtime/workloads/network/operands.h"
#include "runtime/workloads/network/recurrent.h"

namespace runtime {

class Device;

/// A recurrent network on one device: one set of weights, which all its contenders compute on. The baseline of checks is a loop
/// of ATen calls, in the network's precision and in float64; every contender is judged by it.
class Network : public Workload {
 public:
  /// Errors: Input for a sample that is none (recurrentOf), OutOfMemory.
  Network(const inputs::Sample& sample, Device& device, uint64_t seed);

  const std::string& op() const override { return op_; }
  void draw(uint64_t seed, const inputs::Data& data) override;
  void restore(int) override {}
  int multiply(int) override { return 1; }
  bool mutates() const override { return false; }
  bool isRandom() const override { return dropout_ > 0 && recurrent_.isTraining && recurrent_.layers > 1; }
  bool drawsDiffer() const override { return isRandom(); }
  void setChance(bool isOn) override { recurrent_.dropout = isOn ? dropout_ : 0; }
  TensorList operands(int set) const override;
  TensorList readOnly() const override { return operands(0); }
  int64_t operandBytes() const override;
  TensorList runEager() override;
  TensorList runEagerInFloat64() override;
  TensorList runEagerNearby(uint64_t seed) override;
  std::optional<Capture> capture(Audit audit) override;
  std::string outputName(int output) const override;
  int outputs() const override { return static_cast<int>(outputs_.size()); }
  std::string operandName(int operand) const override;
  std::optional<Contender> reference() const override { return std::nullopt; }
  CallablePtr make(const Contender& contender) override;

  const Recurrent& recurrent() const { return recurrent_; }
  const Operands& tensors() const { return operands_; }

 private:
  std::string op_;
  Recurrent recurrent_;
  double dropout_;  ///< while chance is on
  at::Device device_;
  Operands operands_;
  std::vector<std::string> outputs_;  ///< their names
};

}  // namespace runtime
