#pragma once

#include <functional>

#include "ir/graph.h"

namespace lowering {

/// A graph without the calls whose results nobody reads. A call stays that writes, gives nothing, or for which `keeps` is true.
ir::Graph withoutUnused(ir::Graph graph, const std::function<bool(const ir::Node&)>& keeps);

}  // namespace lowering
