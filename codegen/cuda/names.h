#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"

namespace codegen {

/// What the buffers of a kernel are called in CUDA C++, parameters first: by their own names, unless C++ or the text around them
/// has these already.
std::vector<std::string> bufferNames(const ir::Kernel& kernel);

}  // namespace codegen
