#pragma once

#include <functional>

#include "ir/graph.h"

namespace lowering {

/// Lays images of halves out with their channels last between convolutions, which are faster so on a GPU: convolutions of several
/// such images, and the generated calls that connect them. Their weights are copied into that layout once a run. Nothing changes
/// where views show few channels of an image, where there are few convolutions, and for images that other calls make or read, or
/// that come from outside the graph or leave it.
ir::Graph withChannelsLast(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated);

}  // namespace lowering
