#pragma once

#include <string>
#include <string_view>

#include "runtime/device.h"

namespace runtime {

/// A kernel of one thread and one pointer that measuring needs and no operator: `name` in CUDA C++ `source`.
ExecutablePtr toolKernel(const std::string& name, std::string_view source, Device& device);

}  // namespace runtime
