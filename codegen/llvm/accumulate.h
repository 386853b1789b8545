#pragma once

#include "codegen/llvm/expr.h"

namespace codegen {

/// A Store that accumulates: the elements of the active lanes become their combinations with the values. An offset that
/// does not depend on the lane is a scalar: the lanes are then combined with each other first.
void accumulate(const Scope& scope, const ir::Store& store, Vec offset, Vec value, const LaneSet& lanes);

}  // namespace codegen
