#pragma once

#include <string>

namespace runtime {

/// Remembers what computes each of ATen's operators, the first time that it is called: before any library of the user's is
/// loaded.
void rememberKernels();
/// Says which of ATen's operators has a kernel since that is not torch's own: `another kernel of aten::_softmax is registered for
/// CPU, at my.cpp:12`. Eager would call it. Nothing where none has, or none were remembered.
std::string foreignKernel();

}  // namespace runtime
