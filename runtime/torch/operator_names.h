#pragma once

#include <string>
#include <vector>

namespace runtime {

/// Names of ATen's operators, for suggestions.
std::vector<std::string> operatorNames();

}  // namespace runtime
