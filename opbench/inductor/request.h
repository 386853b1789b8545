#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace opbench {

/// What AOTInductor is to compile, as a line of JSON: the calls of a graph on tensors of these types, and Inductor's settings,
/// each `name=value`. It has the inputs of the graph as arguments, and returns the outputs that are no inputs. Calls that only
/// tell the host a number are left out. Error: Unsupported for what JSON does not hold, such as sparse tensors.
std::string inductorRequest(const ir::Graph& graph, const std::string& device, int threads,
                            const std::vector<std::string>& settings);

/// Error: Input for a setting on the command line that is not like `max_autotune=1`.
void checkInductorSettings(const std::vector<std::string>& settings);

}  // namespace opbench
