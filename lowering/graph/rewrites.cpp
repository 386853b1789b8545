#include "lowering/graph/rewrites.h"

#include "lowering/graph/biases.h"
#include "lowering/graph/channels_last.h"
#include "lowering/graph/equal_calls.h"
#include "lowering/graph/joined_products.h"
#include "lowering/graph/padded_rows.h"
#include "lowering/graph/recompute.h"

namespace lowering {

std::span<const Rewrite> rewrites() {
  static constexpr Rewrite all[] = {
      {"equal-calls", withoutEqualCalls},
      {"biases", withConvolutionBiases},
      {"channels-last", withChannelsLast},
      {"joined-products", withJoinedProducts},
      {"padded-rows", [](const ir::Graph& graph,
                         const std::function<bool(const ir::Node&)>& isGenerated) { return withPaddedRows(graph, isGenerated); }},
      {"recomputation", withRecomputation}};
  return all;
}

}  // namespace lowering
