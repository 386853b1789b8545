#include "lowering/graph/renumber.h"

namespace lowering {

void renumberForward(std::vector<ir::Node>& nodes, const std::vector<int>& places) {
  for (ir::Node& node : nodes)
    if (node.scope.forward >= 0) node.scope.forward = places.at(static_cast<size_t>(node.scope.forward));
}

}  // namespace lowering
