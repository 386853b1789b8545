#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/sample.h"
#include "opbench/settings/race.h"
#include "opbench/settings/selection.h"

namespace opbench {

/// Gives what the command line leaves open the values that it has in operatorbench: the suite torchbench, samples in file order,
/// three repeats. `isGiven` says whether an option (`--repeats`) is there. Errors: Input, for more than one suite.
void adoptOperatorbench(SelectionSettings& selection, MeasureSettings& measure, const std::function<bool(const char*)>& isGiven);

/// Why operatorbench leaves an operator out: `input generator nyi`; empty where it measures it. It also leaves out what its
/// compiler does not lower, which here is what `opbench` does not lower, products aside. It says nothing of a `convolution`.
inline constexpr std::string_view convolution = "convolution";
std::string_view whyOperatorbenchSkips(std::string_view op, bool hasLowering);

/// Drops the samples that operatorbench leaves out, and says which operators these are and why, as it does; `hasLowering` says
/// which are lowered. Error: Input, where none is left.
void dropSkipped(std::vector<inputs::Sample>& samples, const std::function<bool(const std::string&)>& hasLowering,
                 std::ostream& out);

}  // namespace opbench
