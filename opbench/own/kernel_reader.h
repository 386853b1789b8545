#pragma once

#include <string>

#include "runtime/contenders/kernels/kernel_file.h"

namespace opbench {

/// A file of CUDA kernels: FILE.cu, which says in a comment that begins with a line `/* opbench` how they are launched, or
/// FILE.cubin, beside which FILE.yaml says so. Errors: Input, `FILE:LINE: ..`, for whatever is not understood.
runtime::KernelFile readKernelFile(const std::string& path);
/// The kernels of a FILE.cu with this content.
runtime::KernelFile readKernelSource(const std::string& source, const std::string& path);

}  // namespace opbench
