#pragma once

#include <functional>
#include <string>
#include <vector>

#include "inputs/sample.h"

namespace opbench {

/// A line for each operator: its name, how many samples and recorded calls it has, and whether kernels are generated for
/// it, which `isGenerated` says; the totals below.
std::string listOperators(const std::vector<inputs::Sample>& samples, const std::function<bool(const std::string&)>& isGenerated);

}  // namespace opbench
