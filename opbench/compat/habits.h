#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "opbench/cli/options.h"

namespace opbench {

/// Gives what the command line leaves open the values that it has in operatorbench: the suite torchbench, samples in file order,
/// three repeats. `isGiven` says whether an option (`--repeats`) is there. Errors: Input, for more than one suite.
void adoptOperatorbench(Options& options, const std::function<bool(const char*)>& isGiven);

/// Why operatorbench leaves an operator out: `input generator nyi`; empty where it measures it. It also leaves out what its
/// compiler does not lower, which here is what `opbench` does not lower.
std::string_view whyOperatorbenchSkips(std::string_view op, bool hasLowering);

}  // namespace opbench
