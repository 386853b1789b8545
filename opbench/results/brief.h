#pragma once

#include <string>

#include "inputs/sample.h"

namespace opbench {

/// A sample's arguments as a table shows them: `f16[2, 3], f16[3], alpha=2`; strides only where they are not row-major
/// (`f16[2, 3](1, 2)`).
std::string brief(const inputs::Sample& sample);

}  // namespace opbench
