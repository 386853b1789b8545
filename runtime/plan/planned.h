#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/callable.h"
#include "runtime/capture/bound_call.h"
#include "runtime/device.h"
#include "runtime/plan/lifetimes.h"
#include "runtime/run_tensor.h"
#include "runtime/torch/state.h"
#include "runtime/workload.h"

namespace runtime {

/// A plan on the memory of one workload: nothing is looked up by name, hashed or compiled when it runs.
class PlannedCallable : public Callable {
 public:
  /// `constants` are the graph's inputs after the operands. Errors: Unsupported for calls that bring numbers to the host.
  PlannedCallable(Workload& workload, const codegen::Plan& plan, const TensorList& constants, Device& device, const Cache& cache);
  TensorList operator()() override;
  void use(int number) override;
  void reload() override;
  void reseed() override;
  void advance() override;
  void guard(Guards guards) override { guards_ = guards; }

 private:
  /// Where a parameter points to: so many bytes behind the start of a memory.
  struct Pointee {
    int memory = 0;
    std::ptrdiff_t offset = 0;
    uintptr_t alignment = 1;
  };
  struct Launch {
    size_t executable = 0;
    std::vector<Pointee> pointees;
    std::vector<void*> pointers;
    std::string name;  ///< in profiles
  };
  struct Call {
    BoundCall call;
    std::string op;
    bool wantsGradients = false;
  };
  struct Step {
    int launch = -1;  ///< or it is a call
    int call = -1;
    std::vector<RunTensor> makes;  ///< memory that it is the first to need
    std::vector<int> frees;        ///< values whose memory nobody needs afterwards
  };
  class Cleared;

  void compile(const std::vector<codegen::Program>& programs, Device& device, const Cache& cache);
  void add(const codegen::LaunchStep& step, const codegen::Plan& plan);
  void add(const codegen::CallStep& step);
  /// A step of this number, which frees what is not needed after it.
  Step ending(size_t number) const;
  /// A value that a kernel is the first to write. Error: Internal where it does not cover its memory.
  RunTensor made(int value) const;
  void makeGenerator();
  bool isNetwork() const { return !firstOfPhases_.empty(); }

  /// Says that a value's tensor is there, and with it the memory that it lies in.
  void hold(int value, at::Tensor tensor);
  void make(const RunTensor& made);
  void start(Launch& launch);
  void make(const Call& call);
  /// The tensor of a value, which may be a view of its memory that nobody asked for before.
  const at::Tensor& tensorOf(int value);
  std::vector<at::Tensor> run();

  Workload& workload_;
  const at::Device device_;
  const TensorList constants_;
  ir::Graph graph_;  ///< with the plan's intermediates among its values
  Lifetimes lifetimes_;
  Guards guards_ = Guards::None;
  bool isRandom_ = false;
  std::vector<int> firstOfPhases_;
  std::vector<Step> steps_;
  std::vector<Launch> launches_;
  std::vector<Call> calls_;
  std::vector<RunTensor> left_;  ///< outputs that no step makes
  std::vector<int> made_;        ///< values that runs make

  std::vector<at::Tensor> tensors_;         ///< by value, while they are needed
  std::vector<char*> starts_;               ///< by memory
  std::vector<int> holders_;                ///< by memory: a value whose tensor is there
  at::Tensor generator_;                    ///< the seed and the number of the draw, where random numbers are drawn by kernels
  std::vector<ExecutablePtr> executables_;  ///< by program
  std::vector<ExecutablePtr> earlier_;      ///< what graphs run that were captured before a reload
};

}  // namespace runtime
