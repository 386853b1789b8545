#pragma once

#include <vector>

#include "ir/graph.h"

namespace lowering {

/// Has calls know their forward calls by new numbers: `places` has them by the old ones, -1 for calls that are gone.
void renumberForward(std::vector<ir::Node>& nodes, const std::vector<int>& places);

}  // namespace lowering
