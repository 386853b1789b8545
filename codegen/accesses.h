#pragma once

#include <vector>

#include "codegen/plan.h"

namespace codegen {

/// The values that a step reads, and the values that it writes.
struct Access {
  std::vector<int> reads, writes;
};

/// A plan's graph with its intermediates among its values.
ir::Graph withIntermediates(const Plan& plan);

/// What a step of a plan does; `graph` is the plan's, with or without its intermediates.
Access accessOf(const Step& step, const Plan& plan, const ir::Graph& graph);

}  // namespace codegen
