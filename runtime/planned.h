#pragma once

#include <memory>
#include <vector>

#include "runtime/callable.h"
#include "runtime/device.h"
#include "runtime/run_tensor.h"
#include "runtime/torch/state.h"
#include "runtime/workload.h"

namespace runtime {

/// A plan of launches on the memory of one workload: nothing is looked up, hashed or dispatched when it runs.
class PlannedCallable : public Callable {
 public:
  PlannedCallable(Workload& workload, const codegen::Plan& plan, Device& device, const Cache& cache);
  TensorList operator()() override;
  void use(int number) override;
  void reload() override;
  void reseed() override;
  void advance() override;
  void guard(Guards guards) override { guards_ = guards; }

 private:
  struct Launch {
    ExecutablePtr executable;
    std::vector<int> values;
    std::vector<uintptr_t> alignments;
    std::vector<void*> pointers;
    std::string name;  ///< the kernel's
  };

  void addMade(const ir::Graph& graph, int value);
  void addLaunch(const codegen::LaunchStep& step, Device& device, const Cache& cache);
  void start(Launch& launch);

  Workload& workload_;
  at::Device device_;
  Guards guards_ = Guards::None;
  std::vector<RunTensor> made_;  ///< the outputs in order, then what lies in between
  std::size_t outputs_ = 0;
  std::vector<int> inputValues_;  ///< of the graph, by operand
  std::vector<void*> pointers_;   ///< by value of the graph
  std::vector<at::Tensor> inputs_;
  at::Tensor generator_;  ///< the seed and the number of the draw, where random numbers are drawn
  std::vector<Launch> launches_;
  std::vector<ExecutablePtr> earlier_;  ///< what graphs run that were captured before a reload
};

}  // namespace runtime
