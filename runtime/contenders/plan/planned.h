#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "codegen/lifetimes.h"
#include "runtime/callable.h"
#include "runtime/capture/bound_call.h"
#include "runtime/contenders/plan/arena.h"
#include "runtime/contenders/plan/split_product.h"
#include "runtime/device.h"
#include "runtime/run_tensor.h"
#include "runtime/torch/state.h"
#include "runtime/workload.h"
#include "runtime/workloads/call.h"

namespace runtime {

/// Looks at the groups of a network's plan, one after another, in a run.
class GroupObserver {
 public:
  virtual ~GroupObserver() = default;
  /// Before a group's first launch: its calls on what it finds in this run, as a workload.
  virtual void begin(const codegen::Instance& instance, Workload& group) = 0;
  /// After its last launch, with what it left in the group's outputs. Returns what the run goes on with in their place; without
  /// any it ends.
  virtual TensorList end(const TensorList& found) = 0;
};

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
  /// A run that is looked at; `plan` is the one that it was made of.
  void run(const codegen::Plan& plan, GroupObserver& observer);

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
    std::optional<SplitProduct> product;  ///< where it is one: it writes memory that it is given
  };
  struct Step {
    int launch = -1;  ///< or it is a call
    int call = -1;
    std::vector<RunTensor> makes;          ///< memory that it is the first to need
    std::vector<int> frees;                ///< values whose memory nobody needs afterwards
    int instance = -1;                     ///< of a launch: the group's that it is of
    bool isFirst = false, isLast = false;  ///< of the launches of that
  };
  struct Observed;
  class Cleared;

  void compile(const std::vector<ir::KernelSource>& programs, Device& device, const Cache& cache);
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
  /// The tensors of some of a group's values.
  std::vector<at::Tensor> tensorsOf(const codegen::Instance& instance, const std::vector<int>& values);
  /// Frees no input of a group before it, though its kernels may not read it.
  void keepInputs(const codegen::Plan& plan);
  void beginGroup(const Step& step);
  /// Whether the run goes on.
  bool endGroup(const Step& step);

  Workload& workload_;
  const at::Device device_;
  const TensorList constants_;
  ir::Graph graph_;  ///< with the plan's intermediates among its values
  codegen::Lifetimes lifetimes_;
  Arena arena_;
  Guards guards_ = Guards::None;
  bool isRandom_ = false;
  Observed* observed_ = nullptr;  ///< while a run is looked at
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
