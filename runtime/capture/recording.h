#pragma once

#include <vector>

#include "inputs/sample.h"
#include "ir/graph.h"

namespace runtime {

/// The call of a node as a sample: its arguments in order, arguments that only have a name as keywords. Arguments that equal
/// their defaults are left out, but for arguments before another one.
inputs::Sample sampleOf(const ir::Graph& graph, const ir::Node& node);

/// Whether operatorbench's recorder leaves the call out: one without tensors among its arguments or results, one that is given a
/// memory format, a constructor (`zeros_like`), and a view.
bool isLeftOut(const ir::Node& node);

/// Whether a call of the node draws random numbers.
bool drawsNumbers(const ir::Node& node);

/// The different calls of a graph with their counts, as operatorbench's recorder writes them: operators by name, and the calls of
/// each in the order in which they first come. `all` leaves none out.
std::vector<inputs::Sample> recordedSamples(const ir::Graph& graph, bool all);

}  // namespace runtime
