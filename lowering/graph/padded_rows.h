#pragma once

#include <functional>

#include "ir/graph.h"
#include "lowering/graph/product.h"

namespace lowering {

/// Puts gaps behind the rows of matrices of halves whose rows begin at odd addresses, such as rows of 50,257 columns, where
/// products read or make them: these products take five times as long as others. What products and generated calls alone touch
/// has a gap behind each row. Of all other memory, as of the graph's inputs and outputs, products read and make a copy with gaps,
/// where they do so much arithmetic for each of its elements that this is worth it. Nobody outside the graph sees a gap. A bias
/// is added to such a product by a call of its own.
ir::Graph withPaddedRows(const ir::Graph& captured, const std::function<bool(const ir::Node&)>& isGenerated,
                         double least = leastOperations);

}  // namespace lowering
