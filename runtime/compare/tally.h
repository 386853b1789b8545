#pragma once

#include <ATen/core/Tensor.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "ir/kernel_source.h"

namespace runtime {

class Device;

/// Three one-dimensional tensors of one length and device that are compared element by element. `found` and `eager` are of one
/// real dtype; the reference is float64 or, where there is none, eager itself.
struct Compared {
  at::Tensor found;
  at::Tensor eager;
  at::Tensor reference;
  double tolerance = 0;
  double leastError = 0;  ///< the worst element is looked for among elements that are off by more, in absolute terms
};

#include "runtime/compare/tally.inc"

/// The largest distance, in values of the dtype, of `found` from `reference` rounded to it, over elements finite in both: 0 for
/// equal ones, 1 for neighbours; 0 where the dtype is not floating. A double of rank 0 on their device.
at::Tensor maxUlp(const at::Tensor& found, const at::Tensor& reference);
/// The same of tensors of one dimension on the host.
double maxUlpOnHost(const at::Tensor& found, const at::Tensor& reference);

/// On the worker threads, a chunk at a time: takes little memory besides the tensors.
Tally tallyOnHost(const Compared& operands);
/// By one kernel on the GPU that the tensors are on. Error: Internal where no device is open to compile it.
Tally tallyOnDevice(const Compared& operands);
/// Says which device compiles that kernel, the one that is open; null once it is not.
void compareOn(Device* device);
/// The kernel as text, for a GPU's architecture.
ir::KernelSource tallyProgram(const std::string& arch);

/// The tolerance of a comparison, and the threshold of its dtype, which float64 and integers do not have.
Limits limitsOf(const Compared& operands);

}  // namespace runtime
