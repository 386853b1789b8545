#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "ir/dtype.h"
#include "ir/graph.h"
#include "tests/runtime/build/kernel_batch.h"

namespace tests {

/// Changes a call's tensors before it is made: puts values there that chance does not.
using Edit = std::function<void(const std::vector<at::Tensor>&)>;

/// Checks recorded calls against ATen: what a test case of operators is made with. Their CUDA kernels are compiled when it ends.
class Operators {
 public:
  Operators() = default;
  ~Operators();
  Operators(const Operators&) = delete;
  Operators& operator=(const Operators&) = delete;

  /// Checks one call at float16 as recorded and at float32, and at bfloat16 the first of an operator's and those that are edited,
  /// as it differs from float16 in conversions alone: what ATen computes, the interpreter must find from the loops and from both
  /// schedules, and the CPU's machine code must find as well, with AVX-512 and with AVX2 where the processor has both; NVRTC must
  /// accept the CUDA kernels. A call that has no float16 is checked once.
  void compare(const std::string& op, const std::string& recorded, const Edit& edit = {});

  /// The same of a call that oneDNN computes on a CPU, but for f64: that is checked for both, the other dtypes for CUDA alone.
  void compareBesideOneDnn(const std::string& op, const std::string& recorded);

  /// The same of a call of which ATen computes something else on a GPU: CUDA kernels are only compiled.
  void compareOnCpu(const std::string& op, const std::string& recorded, const Edit& edit = {});

 private:
  /// Those whose loops and kernels must find what ATen computes here.
  enum class Backends { Both, Cuda, Cpu };

  void compareAs(const inputs::Sample& sample, ir::DType dtype, const Edit& edit, Backends backends);
  void compareAsEach(const std::vector<ir::DType>& dtypes, const std::string& op, const std::string& recorded, const Edit& edit,
                     Backends backends);
  void compileLater(const ir::Graph& graph, const std::string& label);

  KernelBatch kernels_;
};

/// The results of an operator of tensors with these numbers in a dtype, by a CPU's machine code.
std::vector<double> computed(const std::string& op, ir::DType dtype, const std::vector<std::vector<double>>& operands,
                             const ir::Target& cpu);

}  // namespace tests
