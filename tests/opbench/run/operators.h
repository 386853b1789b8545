#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "ir/dtype.h"

namespace tests {

/// Changes a call's tensors before it is made: puts values there that chance does not.
using Edit = std::function<void(const std::vector<at::Tensor>&)>;

/// Checks one recorded call at float16 as recorded, bfloat16 and float32: what ATen computes, the interpreter must find from
/// the loops and from both schedules, and the CPU's machine code must find as well; the CUDA kernels must compile. A call that
/// has no float16 is checked once.
void compare(const std::string& op, const std::string& recorded, const Edit& edit = {});

/// The same of a call that oneDNN computes on a CPU, but for f64: that is checked for both, the other dtypes for CUDA alone.
void compareBesideOneDnn(const std::string& op, const std::string& recorded);

/// The results of an operator of tensors with these numbers in a dtype, by the CPU's machine code.
std::vector<double> computed(const std::string& op, ir::DType dtype, const std::vector<std::vector<double>>& operands);

}  // namespace tests
